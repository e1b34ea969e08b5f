import type { ClusterClients } from '../../shared/clusters/index.ts'
import { sleepUnlessAborted } from '../../shared/kubernetes/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import type { Relay } from './relay.ts'

/** Delay before the next search if a search failed that has no earlier result. */
const SEARCH_AGAIN_MS = 30_000
/** Time within which the waiting keys of a removed cluster are sent. */
const CHANGE_GRACE_MS = 30_000

export interface FollowFoundOptions {
  readonly clusters: ClusterClients
  readonly relay: Pick<Relay, 'clusters' | 'follow'>
  readonly logger: Log
  /** Between two searches. */
  readonly intervalMs: number
  /** Ends the searches. */
  readonly signal: AbortSignal
}

/** Searches for clusters at intervals, and has the relay follow those that are found. Never rejects. */
export async function followFoundClusters({ intervalMs, ...followed }: FollowFoundOptions): Promise<void> {
  const { clusters, logger, signal } = followed
  const isBlind = (): boolean => clusters.problems().unsearched.length > 0
  const pauseMs = (): number => (isBlind() ? Math.min(SEARCH_AGAIN_MS, intervalMs) : intervalMs)
  while (await sleepUnlessAborted(pauseMs(), signal)) {
    try {
      await changeClusters(followed)
    } catch (err) {
      logger.error({ err }, 'failed to follow clusters that came or went: continuing with the previous ones')
    }
  }
}

async function changeClusters({
  clusters,
  relay,
  logger,
  signal,
}: Omit<FollowFoundOptions, 'intervalMs'>): Promise<void> {
  const followed = (): string => relay.clusters.join(', ')
  const before = followed()
  const found = await clusters.refresh()
  if (signal.aborted) return
  await relay.follow(found, AbortSignal.any([signal, AbortSignal.timeout(CHANGE_GRACE_MS)]))
  if (followed() !== before) logger.info({ clusters: followed() }, 'clusters came or went')
}
