/** State of the relay's process, and the reason. */
export interface ProbeResult {
  readonly ok: boolean
  /** One line for a person. */
  readonly reason: string
}

/** Answers of `/healthz` and `/readyz`. */
export interface Probes {
  /** Not ok: the process must be restarted. An unreachable cluster or queue is no such case. */
  readonly live: ProbeResult
  /** Ok: every cluster is followed, or cannot be for now; at least one is, and no watch hangs. */
  readonly ready: ProbeResult
}

export interface RelayHealth extends Probes {
  /** The clusters that cannot be reached for now, even if they were listed before. */
  readonly unreachable: readonly string[]
}

/** One cluster of the relay, as far as its health goes. */
export interface ClusterHealth {
  readonly cluster: string
  /** Whether it was listed once. */
  readonly hasSynced: boolean
  /** Whether it has failed for long by now, even if it was listed before. */
  readonly isOut: boolean
  readonly watches: readonly WatchHealth[]
}

export interface WatchHealth {
  readonly kind: string
  /** Milliseconds since it did anything, even failed. */
  readonly idleMs: number
}

/**
 * A watch loop that works does something at least every two minutes: bytes or silence that is noticed, a
 * failed try, a wait that a server asked for. Nothing for this time, in milliseconds, means that it hangs.
 */
const HANGING_MS = 5 * 60_000

export function healthOf(clusters: readonly ClusterHealth[]): RelayHealth {
  const hanging = clusters.filter(({ watches }) => watches.every(isHanging))
  const stuck = clusters.flatMap(({ cluster, watches }) =>
    watches.filter(isHanging).map(({ kind }) => `${kind} of ${cluster}`),
  )
  const unsynced = clusters.filter(({ hasSynced }) => !hasSynced)
  const listing = unsynced.filter(({ isOut }) => !isOut).map(({ cluster }) => cluster)
  const unreachable = unsynced.filter(({ isOut }) => isOut).map(({ cluster }) => cluster)

  function readiness(): ProbeResult {
    if (stuck.length > 0)
      return { ok: false, reason: `nothing for ${HANGING_MS / 1000} s from the watch of ${stuck.join(', ')}` }
    if (listing.length > 0) return { ok: false, reason: `not listed yet: ${listing.join(', ')}` }
    const names = unreachable.join(', ')
    if (clusters.length > 0 && unreachable.length === clusters.length)
      return { ok: false, reason: `no cluster can be reached: ${names}` }
    return { ok: true, reason: unreachable.length > 0 ? `ok, without ${names}` : 'ok' }
  }

  return {
    live:
      clusters.length > 0 && hanging.length === clusters.length
        ? { ok: false, reason: `no watch of any cluster has done anything for ${HANGING_MS / 1000} s` }
        : { ok: true, reason: 'ok' },
    ready: readiness(),
    unreachable: clusters.filter(({ isOut }) => isOut).map(({ cluster }) => cluster),
  }
}

const isHanging = ({ idleMs }: WatchHealth): boolean => idleMs >= HANGING_MS

const OK = { ok: true, reason: 'ok' }

/** Combines what several relays of one process say: what is wrong with one of them counts. */
export const worstOf = (healths: readonly RelayHealth[]): RelayHealth => ({
  live: healths.find(({ live }) => !live.ok)?.live ?? OK,
  ready: healths.find(({ ready }) => !ready.ok)?.ready ?? healths[0]?.ready ?? OK,
  unreachable: [...new Set(healths.flatMap(({ unreachable }) => unreachable))],
})
