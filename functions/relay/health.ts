/** How the relay's process is, and why. */
export interface Verdict {
  readonly ok: boolean
  /** One line for a person. */
  readonly reason: string
}

export interface RelayHealth {
  /** Not ok: the process is beyond repair and must be started anew. An unreachable cluster or queue is no such case. */
  readonly live: Verdict
  /** Ok: every cluster is followed, or cannot be for now; at least one is. */
  readonly ready: Verdict
}

/** One cluster of the relay, as far as its health goes. */
export interface ClusterHealth {
  readonly cluster: string
  /** `listing`: not yet listed once, nor failing for long. */
  readonly state: 'synced' | 'listing' | 'unreachable'
  /** Milliseconds since any of its watches did anything, be it to fail. */
  readonly idleMs: number
}

/**
 * A watch loop that works does something at least every two minutes: bytes or silence that is noticed, a failed try, a wait
 * that a server asked for. Nothing for so long, in milliseconds, means that it hangs.
 */
const HANGING_MS = 5 * 60_000

export function healthOf(clusters: readonly ClusterHealth[]): RelayHealth {
  const hanging = clusters.filter(({ idleMs }) => idleMs >= HANGING_MS)
  const named = (state: ClusterHealth['state']): string[] =>
    clusters.filter((cluster) => cluster.state === state).map(({ cluster }) => cluster)
  const listing = named('listing')
  const unreachable = named('unreachable')
  const isBlind = clusters.length > 0 && unreachable.length === clusters.length
  return {
    live:
      clusters.length > 0 && hanging.length === clusters.length
        ? { ok: false, reason: `no watch of any cluster has done anything for ${HANGING_MS / 1000} s` }
        : { ok: true, reason: 'ok' },
    ready: readiness(listing, unreachable, isBlind),
  }
}

function readiness(listing: readonly string[], unreachable: readonly string[], isBlind: boolean): Verdict {
  if (listing.length > 0) return { ok: false, reason: `not listed yet: ${listing.join(', ')}` }
  if (isBlind) return { ok: false, reason: `no cluster can be reached: ${unreachable.join(', ')}` }
  const without = unreachable.length > 0 ? `, without ${unreachable.join(', ')}` : ''
  return { ok: true, reason: `ok${without}` }
}
