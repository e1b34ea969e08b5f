import type { Log } from '../../shared/telemetry/index.ts'
import type { ClusterRelay } from './cluster-relay.ts'

interface RemoteClustersOptions {
  /** Follows the pods and nodes of a cluster; undefined where it is not a cluster of another shard. */
  readonly start: (cluster: string) => ClusterRelay | undefined
  /** The clusters that Services take pods of now. */
  readonly used: () => readonly string[]
  readonly logger: Log
}

/** A Service that is deleted and made again, or a list that comes in pages, shall not end a watch. */
const CHECK_INTERVAL_MS = 60_000
/** Time to send what waits when a cluster is given back. The keys' own clusters send them as well. */
const GIVE_BACK_MS = 10_000

/** Follows clusters of other shards for as long as Services of this shard take Pods of them. */
export function createRemoteClusters({ start, used, logger }: RemoteClustersOptions) {
  const relays = new Map<string, ClusterRelay>()
  const timer = setInterval(giveBackUnused, CHECK_INTERVAL_MS)
  let isStopped = false

  function giveBackUnused(): void {
    const needed = new Set(used())
    for (const [cluster, relay] of relays) {
      if (needed.has(cluster)) continue
      relays.delete(cluster)
      logger.info({ cluster }, 'no Service of this shard takes pods of the cluster any more')
      void relay.stop(AbortSignal.timeout(GIVE_BACK_MS))
    }
  }

  return {
    take(cluster: string): void {
      if (isStopped || relays.has(cluster)) return
      const relay = start(cluster)
      if (relay === undefined) return
      logger.info({ cluster }, 'Services of this shard take pods of the cluster: following its pods as well')
      relays.set(cluster, relay)
    },
    /** Stops following a cluster that is gone. Resolves to the number of unsent keys. */
    async giveBack(cluster: string, signal: AbortSignal): Promise<number> {
      const relay = relays.get(cluster)
      relays.delete(cluster)
      return relay?.stop(signal) ?? 0
    },
    relays: (): Iterable<ClusterRelay> => relays.values(),
    /** Resolves to the number of keys not sent when `signal` aborted. */
    async stop(signal: AbortSignal): Promise<number> {
      isStopped = true
      clearInterval(timer)
      const unsent = await Promise.all([...relays.values()].map((relay) => relay.stop(signal)))
      return unsent.reduce((sum, count) => sum + count, 0)
    },
  }
}
