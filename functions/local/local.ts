import type { Change, ServiceKey } from '../../shared/changes/index.ts'
import { type ApiClient, type ClusterConnection, createApiClient } from '../../shared/kubernetes/index.ts'
import { createQueueSender, createReceivedMessages, LANES, type Lane } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import {
  createHandler,
  createReconciler,
  type ReconcileOutcome,
  UnknownClusterError,
} from '../reconcile/index.ts'
import { startRelay } from '../relay/index.ts'
import { resync } from '../resync/index.ts'
import { type BatchReport, type EventSourceMapping, startEventSourceMapping } from './event-source-mapping.ts'
import type { Queues } from './queues.ts'

/** What happens on the way, for those who want to tell or count it. */
export interface LocalObserver {
  onEvent?(changes: readonly Change[]): void
  onSent?(keys: number): void
  onBatch?(report: BatchReport): void
  onReconciled?(outcome: ReconcileOutcome): void
  onFailed?(key: ServiceKey, error: unknown): void
}

export interface LocalOptions {
  readonly clusters: readonly ClusterConnection[]
  readonly queues: Queues
  readonly settings: Settings
  readonly logger: Log
  readonly observer?: LocalObserver
}

/** Relay, functions and their event source mappings in one process. */
export interface Local {
  /** Resolves when every cluster was listed; never while one of them cannot be reached. */
  readonly synced: Promise<void>
  /**
   * Ends the watches, sends what waits, finishes the batches that run. What is not done by then is done after the next
   * start, which looks at every key again.
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
}: LocalOptions): Promise<Local> {
  const clients = new Map(clusters.map((connection) => [connection.name, createApiClient(connection)]))
  const reconcile = createReconciler({
    clientOf: (cluster) => {
      const client = clients.get(cluster)
      if (client === undefined)
        throw new UnknownClusterError(`cluster ${cluster} is none of ${[...clients.keys()].join(', ')}`)
      return client
    },
    settings,
    logger,
    onReconciled: observer.onReconciled?.bind(observer),
    onFailed: observer.onFailed?.bind(observer),
  })
  const lanes = LANES.filter((lane) => lane === 'live' || queues.lanes.sweep.url !== queues.lanes.live.url)
  const mappings = await Promise.all(lanes.map((lane) => startLane(lane)))
  const senders = { live: sender('live'), sweep: sender('sweep') }
  const relay = startRelay({
    clients: [...clients.values()],
    settings,
    senders,
    logger,
    // A cluster that cannot be listed yet would only be complained of twice.
    onSynced: (client) => void resyncClusters([client]),
    onEvent: observer.onEvent?.bind(observer),
    onSent: observer.onSent?.bind(observer),
  })
  const ending = new AbortController()
  const resyncTimer = setInterval(
    () => void resyncClusters([...clients.values()]),
    settings.resyncInterval * 1000,
  )

  async function resyncClusters(some: readonly ApiClient[]): Promise<void> {
    await resync({ clients: some, settings, sender: senders.sweep, logger, signal: ending.signal })
  }

  function sender(lane: Lane): ReturnType<typeof createQueueSender> {
    return createQueueSender({ client: queues.client, queueUrl: queues.lanes[lane].url, logger })
  }

  function startLane(lane: Lane): Promise<EventSourceMapping> {
    const { client } = queues
    const { url: queueUrl, deadLetters } = queues.lanes[lane]
    const handler = createHandler({
      reconcile,
      deadLetters,
      visibility: createReceivedMessages({ client, queueUrl, logger }),
      logger,
      settings: { concurrencyPerCluster: settings.keysPerCluster },
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
    async stop(graceMs) {
      const grace = AbortSignal.timeout(graceMs)
      clearInterval(resyncTimer)
      ending.abort()
      const unsent = await relay.stop(AbortSignal.timeout(graceMs / 2))
      if (unsent > 0)
        logger.warn({ keys: unsent }, 'these keys could not be sent; the next start sends every key')
      const drained = Promise.all(mappings.map((mapping) => mapping.drain()))
      await Promise.race([drained, aborted(grace)])
      if (grace.aborted) logger.warn({}, 'batches that still run are left; the next start looks at every key')
      await Promise.race([Promise.all(mappings.map((mapping) => mapping.stop())), aborted(grace)])
      for (const client of clients.values()) client.close()
    },
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
