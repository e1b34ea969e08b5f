import { Registry } from 'prom-client'
import { type Change, createFleet } from '../../shared/changes/index.ts'
import type { ApiClient } from '../../shared/kubernetes/index.ts'
import type { Lane, QueueSender } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import { createRelayMetrics, type Log, type RelayMetrics } from '../../shared/telemetry/index.ts'
import { createBorrowedClusters } from './borrowed-clusters.ts'
import { createCheckpointFile } from './checkpoint.ts'
import { type ClusterRelay, type ClusterRelayOptions, startClusterRelay } from './cluster-relay.ts'
import { startDiscoverFeed } from './discover-feed.ts'
import { healthOf, type RelayHealth } from './health.ts'
import { isAssigned, parseShard } from './shard.ts'

export interface RelayOptions {
  /** Of all clusters, those of other shards among them: Services may take pods of those. */
  readonly clients: readonly ApiClient[]
  readonly settings: ClusterRelayOptions['settings'] & Pick<Settings, 'shard' | 'stateDir'>
  readonly senders: Readonly<Record<Lane, QueueSender>>
  /** Of the discover function's queue, where there is one: it gets the keys of changes of all slices. */
  readonly discover?: QueueSender | undefined
  readonly logger: Log
  /** Default: of a registry that nobody reads. */
  readonly metrics?: RelayMetrics
  /** Told of every object that a watch brought after the first lists, by the changes that it means; often none. */
  readonly onEvent?: (changes: readonly Change[]) => void
  /** Told when a cluster was listed and its keys are on their way. */
  readonly onSynced?: (client: ApiClient) => void
  /** Told how many keys the queue has accepted. */
  readonly onSent?: (keys: number) => void
}

export interface Relay {
  /** The clusters of this relay's shard, by name. */
  readonly clusters: readonly string[]
  /** Resolves when each of them was listed and its keys are on their way. */
  readonly synced: Promise<void>
  health(): RelayHealth
  /** Ends the watches and sends what waits. Resolves to the number of keys not sent when `signal` aborted; the next start sends them. */
  stop(signal: AbortSignal): Promise<number>
}

/** Watches every cluster of its shard on its own: a slow or dead one holds up no other. */
export function startRelay(options: RelayOptions): Relay {
  const { clients, settings, senders, logger, onEvent, onSent, onSynced } = options
  const { metrics = createRelayMetrics(new Registry()) } = options
  const shard = parseShard(settings.shard)
  const own = clients.filter(({ cluster }) => isAssigned(cluster, shard))
  const foreign = new Map(clients.filter((each) => !own.includes(each)).map((each) => [each.cluster, each]))
  const fleet = createFleet((cluster) => borrowed.take(cluster))
  const common = { fleet, settings, senders, metrics, logger, onEvent, onSent }
  const borrowed = createBorrowedClusters({
    start(cluster) {
      const client = foreign.get(cluster)
      return client && startClusterRelay({ ...common, client, scope: 'pods' })
    },
    used: () => fleet.clusters(),
    logger,
  })
  const relays = own.map((client): ClusterRelay => {
    const relay = startClusterRelay({ ...common, client, ...checkpointOf(client, settings) })
    void relay.synced.then(() => onSynced?.(client))
    return relay
  })
  const windowMs = settings.coalescingWindow * 1000
  const feed =
    options.discover && startDiscoverFeed({ clients: own, sender: options.discover, logger, windowMs })
  metrics.readFrom(() => [...relays, ...borrowed.relays()].map((relay) => relay.reading()))
  return {
    clusters: own.map(({ cluster }) => cluster),
    synced: Promise.all(relays.map((relay) => relay.synced)).then(() => undefined),
    health: () => healthOf(relays.map((relay) => relay.health())),
    async stop(signal) {
      const fed = feed?.stop(signal) ?? 0
      const unsent = await Promise.all([
        ...relays.map((relay) => relay.stop(signal)),
        borrowed.stop(signal),
        fed,
      ])
      return unsent.reduce((sum, count) => sum + count, 0)
    },
  }
}

function checkpointOf(
  { cluster }: ApiClient,
  settings: RelayOptions['settings'],
): Pick<Parameters<typeof startClusterRelay>[0], 'checkpointFile'> {
  if (settings.stateDir === '') return {}
  return { checkpointFile: createCheckpointFile({ directory: settings.stateDir, cluster, settings }) }
}
