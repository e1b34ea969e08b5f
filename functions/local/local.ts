import type { Change, ServiceKey } from '../../shared/changes/index.ts'
import type { ClusterConnection } from '../../shared/kubernetes/index.ts'
import {
  createQueueSender,
  createReceivedMessages,
  type DeadLetter,
  LANES,
  type Lane,
} from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { ClusterCallsReading, Log, RelayMetrics } from '../../shared/telemetry/index.ts'
import {
  type Compared,
  createHandler,
  createReconciler,
  type ReconcileOutcome,
  UnknownClusterError,
} from '../reconcile/index.ts'
import { type RelayHealth, startRelay } from '../relay/index.ts'
import { resync } from '../resync/index.ts'
import { openClusters } from './clusters.ts'
import { type BatchReport, type EventSourceMapping, startEventSourceMapping } from './event-source-mapping.ts'
import type { Queues } from './queues.ts'

/** What happens on the way, for those who want to tell or count it. */
export interface LocalObserver {
  onEvent?(changes: readonly Change[]): void
  onSent?(keys: number): void
  onBatch?(report: BatchReport): void
  onReconciled?(outcome: ReconcileOutcome): void
  onFailed?(key: ServiceKey, error: unknown): void
  /** In shadow mode: a Service was compared with what its cluster has. */
  onCompared?(compared: Compared): void
  /** Every kind of the cluster was listed. */
  onSynced?(cluster: string): void
  /** Every key of the cluster was sent to the sweep lane. */
  onResync?(cluster: string, keys: number): void
  /** The function has moved a message to the dead letters. */
  onDeadLetter?(letter: DeadLetter): void
  /** The function has left a key, as a cluster has not answered for long. */
  onLeft?(key: ServiceKey): void
  /** Told once at the start: how the calls to each cluster are, whenever it is asked. */
  onClusters?(read: () => readonly ClusterCallsReading[]): void
}

/** An observer that tells several others. */
export function tellAll(...observers: readonly LocalObserver[]): Required<LocalObserver> {
  const all = (tell: (one: LocalObserver) => void): void => {
    for (const one of observers) tell(one)
  }
  return {
    onEvent: (changes) => all((one) => one.onEvent?.(changes)),
    onSent: (keys) => all((one) => one.onSent?.(keys)),
    onBatch: (report) => all((one) => one.onBatch?.(report)),
    onReconciled: (outcome) => all((one) => one.onReconciled?.(outcome)),
    onFailed: (key, error) => all((one) => one.onFailed?.(key, error)),
    onCompared: (compared) => all((one) => one.onCompared?.(compared)),
    onSynced: (cluster) => all((one) => one.onSynced?.(cluster)),
    onResync: (cluster, keys) => all((one) => one.onResync?.(cluster, keys)),
    onDeadLetter: (letter) => all((one) => one.onDeadLetter?.(letter)),
    onLeft: (key) => all((one) => one.onLeft?.(key)),
    onClusters: (read) => all((one) => one.onClusters?.(read)),
  }
}

export interface LocalOptions {
  readonly clusters: readonly ClusterConnection[]
  readonly queues: Queues
  readonly settings: Settings
  readonly logger: Log
  readonly observer?: LocalObserver
  /** Default: nobody counts what the relay does. */
  readonly relayMetrics?: RelayMetrics
}

/** Relay, functions and their event source mappings in one process. */
export interface Local {
  /** Resolves when every cluster was listed; never while one of them cannot be reached. */
  readonly synced: Promise<void>
  /** The clusters that the relay follows: those of its shard. */
  readonly followed: readonly string[]
  health(): RelayHealth
  /**
   * Ends the watches, sends what waits, finishes the batches that run. What is not sent by then is sent after the
   * next start.
   * @param graceMs how long that may take
   */
  stop(graceMs: number): Promise<void>
}

/** The same relay and functions as in a deployment, with the wiring that AWS does there. */
export async function startLocal({
  clusters,
  queues,
  settings,
  logger,
  observer = {},
  relayMetrics,
}: LocalOptions): Promise<Local> {
  const { clients, functionClients, readings } = openClusters(clusters, { settings, logger })
  observer.onClusters?.(readings)
  const reconcile = createReconciler({
    clientOf: (cluster) => {
      const client = functionClients.get(cluster)
      if (client === undefined)
        throw new UnknownClusterError(
          `cluster ${cluster} is not known; known are ${[...functionClients.keys()].join(', ')}`,
        )
      return client
    },
    settings,
    logger,
    onReconciled: observer.onReconciled?.bind(observer),
    onFailed: observer.onFailed?.bind(observer),
    onCompared: observer.onCompared?.bind(observer),
  })
  const lanes = LANES.filter((lane) => lane === 'live' || queues.lanes.sweep.url !== queues.lanes.live.url)
  const mappings = await Promise.all(lanes.map((lane) => startLane(lane)))
  const senders = { live: sender('live'), sweep: sender('sweep') }
  const relay = startRelay({
    clients,
    settings,
    senders,
    logger,
    ...(relayMetrics && { metrics: relayMetrics }),
    onSynced: ({ cluster }) => observer.onSynced?.(cluster),
    onEvent: observer.onEvent?.bind(observer),
    onSent: observer.onSent?.bind(observer),
  })
  const ending = new AbortController()
  const followed = clients.filter(({ cluster }) => relay.clusters.includes(cluster))
  // The relay has sent at the start what there was to send.
  const resyncTimer = setInterval(() => void resyncClusters(), settings.resyncInterval * 1000)

  async function resyncClusters(): Promise<void> {
    const options = { clients: followed, settings, sender: senders.sweep, logger, signal: ending.signal }
    const { sent } = await resync(options)
    for (const [cluster, keys] of sent) observer.onResync?.(cluster, keys)
  }

  function sender(lane: Lane): ReturnType<typeof createQueueSender> {
    return createQueueSender({
      client: queues.client,
      queueUrl: queues.lanes[lane].url,
      logger,
      onProblem: () => relayMetrics?.count('send_errors', { lane }),
    })
  }

  function startLane(lane: Lane): Promise<EventSourceMapping> {
    const { client } = queues
    const { url: queueUrl, deadLetters, maxReceiveCount } = queues.lanes[lane]
    const handler = createHandler({
      reconcile,
      deadLetters,
      visibility: createReceivedMessages({ client, queueUrl, logger }),
      logger,
      settings: { concurrencyPerCluster: settings.keysPerCluster, maxReceiveCount },
      onDeadLetter: observer.onDeadLetter?.bind(observer),
      onLeft: observer.onLeft?.bind(observer),
    })
    return startEventSourceMapping({
      client,
      queueUrl,
      handler: (event, context) => handler(event, context),
      logger,
      batchSize: settings.batchSize,
      batchWindowSeconds: settings.batchWindow,
      maximumConcurrency: settings.maximumConcurrency,
      functionTimeoutSeconds: settings.functionTimeout,
      onBatch: observer.onBatch?.bind(observer),
    })
  }

  return {
    synced: relay.synced,
    followed: relay.clusters,
    health: () => relay.health(),
    async stop(graceMs) {
      const grace = AbortSignal.timeout(graceMs)
      clearInterval(resyncTimer)
      ending.abort()
      const unsent = await relay.stop(AbortSignal.timeout(graceMs / 2))
      if (unsent > 0) logger.warn({ keys: unsent }, 'these keys could not be sent; the next start sends them')
      const drained = Promise.all(mappings.map((mapping) => mapping.drain()))
      await Promise.race([drained, aborted(grace)])
      if (grace.aborted)
        logger.warn({}, 'batches that still run are left; their messages come back to the queue')
      await Promise.race([Promise.all(mappings.map((mapping) => mapping.stop())), aborted(grace)])
      for (const client of [...clients, ...functionClients.values()]) client.close()
    },
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
