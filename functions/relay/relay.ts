import { hash } from 'node:crypto'
import { createCrossClusterSelectors, type ServiceKey } from '../../shared/changes/index.ts'
import { type ApiClient, createTurns } from '../../shared/kubernetes/index.ts'
import { LANES, type Lane, type QueueSender } from '../../shared/queue/index.ts'
import {
  type ContentSettings,
  contentDigest,
  type Settings,
  windowSeconds,
} from '../../shared/settings/index.ts'
import type { ClusterReading } from '../../shared/telemetry/index.ts'
import { createCheckpointFile } from './checkpoint/checkpoint.ts'
import { type ClusterRelay, startClusterRelay } from './cluster-relay.ts'
import { healthOf, type RelayHealth } from './health/health.ts'
import { type PublishFeed, startViewPublisherFeed } from './publish-feed.ts'
import {
  type ClusterRelaySettings,
  type RelayObserver,
  type Telemetry,
  withMetrics,
} from './relay-options.ts'
import { createRemoteClusters } from './remote-clusters.ts'
import { isAssigned, parseShard } from './shard.ts'

export interface RelayOptions {
  /** Clients of all clusters, also of other shards: Services may take pods of those. */
  readonly clients: readonly ApiClient[]
  readonly settings: ClusterRelaySettings & ContentSettings & Pick<Settings, 'shard' | 'stateDir'>
  readonly senders: Readonly<Record<Lane, QueueSender>>
  /** Sender of the view publisher's queue, if there is one: it gets the keys of changes of all slices. */
  readonly viewPublisher?: QueueSender | undefined
  readonly telemetry: Telemetry
  /** Resolves to an identity of a cluster, independent of its name. Default: checkpoints do not verify it. */
  readonly identityOf?: (client: ApiClient) => Promise<string>
  /** Clusters that cannot be followed: the metrics show them as failing, for the alarms. Default: none. */
  readonly unfollowed?: () => readonly string[]
  readonly observer?: RelayObserver
}

export interface Relay {
  /** The clusters of this relay's shard that it follows now, by name. */
  readonly clusters: readonly string[]
  /** Resolves when each of those of its start was listed and its keys are on their way. */
  readonly synced: Promise<void>
  health(): RelayHealth
  /**
   * Follows these clusters from now on: takes up those that came, and ends those that went or have another
   * client than before. The watches of all others go on. Resolves when those that went have sent what waits,
   * or `signal` aborted.
   * @param clients of all clusters
   */
  follow(clients: readonly ApiClient[], signal: AbortSignal): Promise<void>
  /** Ends the watches and sends what waits. Resolves to the number of unsent keys, for the next start. */
  stop(signal: AbortSignal): Promise<number>
}

/** A cluster of this shard. */
interface Followed {
  readonly client: ApiClient
  readonly relay: ClusterRelay
  readonly feed: PublishFeed | undefined
}

/** Watches each cluster of its shard on its own: one that is slow, dead, new or gone holds up no other. */
export function startRelay(options: RelayOptions): Relay {
  const { settings, senders, observer = {} } = options
  const telemetry = withMetrics(options.telemetry)
  const { logger, metrics } = telemetry
  const shard = parseShard(settings.shard)
  const own = new Map<string, Followed>()
  const foreign = new Map<string, ApiClient>()
  const selectors = createCrossClusterSelectors((cluster) => remoteClusters.take(cluster))
  const common = {
    settings,
    senders,
    telemetry,
    observer,
    shared: { selectors, suspect, nextTurn: createTurns() },
  }
  const remoteClusters = createRemoteClusters({
    start(cluster) {
      const client = foreign.get(cluster)
      return client && startClusterRelay({ ...common, client, scope: 'pods' })
    },
    used: () => selectors.clusters(),
    logger,
  })
  const windowMs = windowSeconds(settings) * 1000
  /** Passes keys that may be wrong to their own clusters, which have the slices wherever the Pods are. */
  function suspect(keys: readonly ServiceKey[]): void {
    for (const key of keys) own.get(key.cluster)?.relay.suspect([key])
  }

  function take(client: ApiClient): void {
    const { cluster } = client
    if (!isAssigned(cluster, shard)) {
      foreign.set(cluster, client)
      if (selectors.clusters().includes(cluster)) remoteClusters.take(cluster)
      return
    }
    const relay = startClusterRelay({ ...common, client, ...checkpointOf(client, options) })
    void relay.synced.then(() => observer.onSynced?.(client.cluster))
    const sender = options.viewPublisher
    const feed = sender && startViewPublisherFeed({ client, sender, logger, windowMs })
    own.set(cluster, { client, relay, feed })
  }

  async function end(cluster: string, signal: AbortSignal): Promise<number> {
    const followed = own.get(cluster)
    own.delete(cluster)
    foreign.delete(cluster)
    const unsent = await Promise.all([
      followed?.feed?.stop(signal) ?? 0,
      followed?.relay.stop(signal) ?? 0,
      remoteClusters.giveBack(cluster, signal),
    ])
    followed?.relay.forget()
    return unsent.reduce((sum, count) => sum + count, 0)
  }

  async function follow(clients: readonly ApiClient[], signal: AbortSignal): Promise<void> {
    const wanted = new Set(clients)
    const known = [...[...own.values()].map(({ client }) => client), ...foreign.values()]
    const gone = known.filter((client) => !wanted.has(client))
    const came = clients.filter((client) => !known.includes(client))
    await Promise.all([
      ...gone.map(({ cluster }) => end(cluster, signal)),
      ...came
        .filter(({ cluster }) => !gone.some((each) => each.cluster === cluster))
        .map(async (client) => take(client)),
    ])
    // A name that has another client now is followed again once what it was is forgotten.
    for (const client of came) if (gone.some(({ cluster }) => cluster === client.cluster)) take(client)
  }

  for (const client of options.clients) take(client)
  metrics.readFrom(() => [
    ...[...own.values()].map(({ relay }) => relay.reading()),
    ...[...remoteClusters.relays()].map((relay) => relay.reading()),
    ...(options.unfollowed?.() ?? []).filter((cluster) => isAssigned(cluster, shard)).map(unfollowedReading),
  ])
  return {
    get clusters() {
      return [...own.keys()]
    },
    synced: Promise.all([...own.values()].map(({ relay }) => relay.synced)).then(() => undefined),
    health: () => healthOf([...own.values()].map(({ relay }) => relay.health())),
    follow,
    async stop(signal) {
      const unsent = await Promise.all([
        ...[...own.keys()].map((cluster) => end(cluster, signal)),
        remoteClusters.stop(signal),
      ])
      return unsent.reduce((sum, count) => sum + count, 0)
    },
  }
}

const unfollowedReading = (cluster: string): ClusterReading => ({
  cluster,
  synced: false,
  watches: [{ kind: 'services', failing: true, objects: 0 }],
  lanes: [],
})

function checkpointOf(
  client: ApiClient,
  { settings, senders, identityOf }: Pick<RelayOptions, 'settings' | 'senders' | 'identityOf'>,
): Pick<Parameters<typeof startClusterRelay>[0], 'checkpointFile'> {
  const { stateDir: directory } = settings
  if (directory === '') return {}
  const identity = identityOf && (() => identityOf(client))
  const queues = LANES.map((lane) => senders[lane].queueUrl ?? '')
  const digest = hash('sha256', [contentDigest(settings), ...queues].join('\n'), 'base64url').slice(0, 22)
  const options = { directory, cluster: client.cluster, settings: digest, identity }
  return { checkpointFile: createCheckpointFile(options) }
}
