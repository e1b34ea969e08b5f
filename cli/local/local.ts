import { type AuditSlots, auditSlot, createAuditSlots, SLOT_SECONDS } from '../../functions/audit/index.ts'
import {
  type RelayHealth,
  startFleetRelays,
  startRelay,
  type Telemetry,
  worstOf,
} from '../../functions/relay/index.ts'
import type { ClusterSet } from '../../shared/cluster-sets/index.ts'
import { sleepUnlessAborted, untilAborted } from '../../shared/kubernetes/index.ts'
import { createHandler, type Reconcile } from '../../shared/queue/consumer/index.ts'
import {
  createQueueSender,
  createReceivedMessages,
  LANES,
  type Lane,
  type QueueSender,
  type QueueSenderOptions,
} from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import type { OpenClusters } from './clusters.ts'
import { type EventSourceMapping, startEventSourceMapping } from './event-source/mapping.ts'
import type { LocalObserver } from './observer.ts'
import type { Queues } from './queues.ts'
import { createLocalReconcile } from './reconcile.ts'

interface LocalOptions {
  readonly clusters: OpenClusters
  readonly queues: Queues
  readonly settings: Settings
  /** Cluster sets whose exported Services are imported in each of their clusters; default: none. */
  readonly sets?: readonly ClusterSet[]
  readonly telemetry: Telemetry
  readonly observer?: LocalObserver
}

export type Local = Awaited<ReturnType<typeof startLocal>>

/** Share of the time for the end in which batches may end. */
const DRAIN_SHARE = 0.8

/** Starts the same relay and functions as in a deployment, with the wiring that AWS does there. */
export async function startLocal({
  clusters: { clients, functionClients, readings, identities, close },
  queues,
  settings,
  sets = [],
  telemetry,
  observer = {},
}: LocalOptions) {
  const { logger, metrics } = telemetry
  observer.onClusters?.(readings)
  const reconcile = createLocalReconcile(functionClients, { settings, sets, telemetry, observer })
  const lanes = LANES.filter((lane) => lane === 'live' || queues.lanes.sweep.url !== queues.lanes.live.url)
  const mappings = await Promise.all(
    lanes.map((lane) => startLane(lane, { reconcile, queues, settings, observer, logger })),
  )
  const senders = { live: sender('live'), sweep: sender('sweep') }
  const common = { clients, settings, senders, telemetry }
  const relay = startRelay({ ...common, observer, identityOf: identities.of })
  // A cluster counts as followed once the relay of its own Services has listed it.
  const onSent = (keys: number): void => observer.onSent?.(keys)
  const fleet = startFleetRelays({ ...common, sets, observer: { onSent } })
  const ending = new AbortController()
  const followed = clients.filter(({ cluster }) => relay.clusters.includes(cluster))
  const slots = createAuditSlots(settings.auditInterval)
  const auditSender = sender('sweep', (key) => slots.placeOf(key).delaySeconds)
  // The relay that a standby stands by for has audits of its own.
  const stopAuditTimer = settings.relayStandby
    ? () => undefined
    : startAuditTimer({ slots, onSlot: (slot) => void audit(slot) })

  async function audit(slot: number): Promise<void> {
    const { signal } = ending
    const options = { clients: followed, settings, slots, slot, sender: auditSender, signal }
    const { sent, failures } = await auditSlot(options)
    for (const [cluster, keys] of sent) observer.onAudit?.(cluster, keys)
    if (signal.aborted) return
    for (const { cluster, error } of failures)
      logger.warn({ cluster, err: error }, 'cannot audit the cluster; trying again at the next interval')
  }

  function sender(lane: Lane, delaySeconds?: QueueSenderOptions['delaySeconds']): QueueSender {
    return createQueueSender({
      client: queues.client,
      queueUrl: queues.lanes[lane].url,
      logger,
      onProblem: () => metrics?.count('send_errors', { lane }),
      delaySeconds,
    })
  }

  return {
    /** Resolves when every cluster was listed; never while one of them cannot be reached. */
    synced: Promise.all([relay.synced, fleet.synced]).then((): void => undefined),
    /** The clusters that the relay follows: those of its shard. */
    followed: relay.clusters,
    health: (): RelayHealth => worstOf([relay.health(), fleet.health()]),
    /**
     * Ends the watches, sends what waits, finishes the batches that run. What is not sent by then is sent
     * after the next start.
     * @param graceMs how long that may take
     */
    async stop(graceMs: number): Promise<void> {
      const grace = AbortSignal.timeout(graceMs)
      stopAuditTimer()
      ending.abort()
      const halfTime = AbortSignal.timeout(graceMs / 2)
      // The rest is for what waits to be given back to the queue.
      const drainTime = AbortSignal.timeout(graceMs * DRAIN_SHARE)
      const [ofServices, ofFleet] = await Promise.all([relay.stop(halfTime), fleet.stop(halfTime)])
      const unsent = ofServices + ofFleet
      if (unsent > 0) logger.warn({ keys: unsent }, 'these keys could not be sent; the next start sends them')
      const drained = Promise.all(mappings.map((mapping) => mapping.drain()))
      await Promise.race([drained, untilAborted(drainTime)])
      if (drainTime.aborted)
        logger.warn({}, 'stopped waiting for running batches; their messages come back to the queue')
      await Promise.race([Promise.all(mappings.map((mapping) => mapping.stop())), untilAborted(grace)])
      close()
    },
  }
}

interface AuditTimerOptions {
  readonly slots: AuditSlots
  /** Called at the beginning of each slot with its number. */
  readonly onSlot: (slot: number) => void
  /** Milliseconds since the epoch; default: the clock. */
  readonly now?: () => number
}

const SLOT_MS = SLOT_SECONDS * 1000

/**
 * Calls back at the start of each slot of the audit, until it is stopped, as a schedule does in a deployment.
 * Slots that were missed while the machine slept are combined, at most those of one interval. Where the clock
 * goes back, it goes on with the slots of the new time. The slot in which it starts is skipped until the next
 * interval.
 * @returns stops it
 */
export function startAuditTimer({ slots, onSlot, now = Date.now }: AuditTimerOptions): () => void {
  let last = Math.floor(now() / SLOT_MS)
  let timer: NodeJS.Timeout | undefined

  function plan(): void {
    timer = setTimeout(call, Math.max(0, (last + 1) * SLOT_MS - now()))
  }

  function call(): void {
    const current = Math.floor(now() / SLOT_MS)
    for (let slot = Math.max(last + 1, current - slots.count + 1); slot <= current; slot++)
      onSlot(slots.at(slot * SLOT_MS))
    last = current
    plan()
  }

  plan()
  return () => clearTimeout(timer)
}

interface LaneMappingOptions {
  readonly queues: Queues
  readonly settings: Settings
  readonly logger: Log
  readonly reconcile: Reconcile
  readonly observer: LocalObserver
}

/** Invokes the reconcile function with the messages of one lane. */
function startLane(
  lane: Lane,
  { reconcile, queues, settings, observer, logger }: LaneMappingOptions,
): Promise<EventSourceMapping> {
  const { client, areOwn } = queues
  const { url: queueUrl, deadLetters, maxReceiveCount } = queues.lanes[lane]
  const handler = createHandler({
    reconcile,
    deadLetters,
    visibility: createReceivedMessages({ client, queueUrl, logger }),
    logger,
    settings: { concurrencyPerCluster: settings.keysPerCluster, maxReceiveCount, isOwnQueue: areOwn },
    onDeadLetter: observer.onDeadLetter?.bind(observer),
    onLeft: observer.onLeft?.bind(observer),
  })
  return startEventSourceMapping({
    client,
    queueUrl,
    handler: (event, context) => handler(event, context),
    logger,
    isOwnQueue: areOwn,
    limits: {
      batchSize: settings.batchSize,
      batchWindowSeconds: settings.batchWindow,
      maximumConcurrency: settings.maximumConcurrency,
      functionTimeoutSeconds: settings.functionTimeout,
    },
    onBatch: observer.onBatch?.bind(observer),
  })
}

/** Milliseconds between checks: a cluster becomes unreachable by the age of its last answer, silently. */
const ASK_MS = 500

/**
 * Resolves once each cluster was listed or cannot be reached for 30 s, and at least one was listed; never
 * when `signal` aborts before.
 * @returns the clusters that are missing
 */
export async function untilReady(
  { synced, health }: Pick<Local, 'synced' | 'health'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let isSynced = false
  const listed = synced.then(() => {
    isSynced = true
  })
  while (!isSynced && !signal.aborted) {
    const { ready, unreachable } = health()
    if (ready.ok && unreachable.length > 0) return unreachable
    await Promise.race([listed, sleepUnlessAborted(ASK_MS, signal)])
  }
  await listed
  return []
}
