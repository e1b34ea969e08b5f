import { ConnectionError, SilentServerError } from '../../../shared/kubernetes/index.ts'

/**
 * A cluster whose watches failed for this time, in milliseconds, may have been unreachable for the functions
 * as well: keys that they have given up meanwhile must be sent again. Above what a restarted API server or a
 * dropped connection takes.
 */
const LONG_OUTAGE_MS = 30_000

/** Log line of a server whose history went back. */
export const RESTORED =
  'the versions of the API server went back, as after a restore from a backup: listing it again, and checking every key'

/** `restored`: the server's history went back, which undoes what functions have done. */
export type OutageCause = 'unreachable' | 'restored'

interface ClusterOutageOptions {
  /** Called once an outage has lasted long, while it lasts. */
  readonly onLong: (cause: OutageCause) => void
  /** Called when every watch works again after a long outage. */
  readonly onOver: () => void
  /** Milliseconds of silence after which a watch counts as failed: they are part of the outage. */
  readonly silenceMs: number
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number
}

function silentBefore(error: unknown, silenceMs: number): number {
  if (error instanceof SilentServerError) return error.silentMs
  return error instanceof ConnectionError && error.code === 'ESILENT' ? silenceMs : 0
}

export type ClusterOutage = ReturnType<typeof createClusterOutage>

/** One outage lasts while at least one watch of the cluster fails, from first failure to last recovery. */
export function createClusterOutage({
  onLong,
  onOver,
  silenceMs,
  now = () => performance.now(),
}: ClusterOutageOptions) {
  const failing = new Set<string>()
  let since = 0
  let isLong = false
  const measure = (): void => {
    if (isLong || failing.size === 0 || now() - since < LONG_OUTAGE_MS) return
    isLong = true
    onLong('unreachable')
  }
  return {
    failed(kind: string, error: unknown): void {
      const began = now() - silentBefore(error, silenceMs)
      since = failing.size === 0 ? began : Math.min(since, began)
      failing.add(kind)
      measure()
    },
    /** Notes that the server was restored from a backup: that counts as a long outage, however short. */
    restored(kind: string): void {
      failing.add(kind)
      if (isLong) return
      isLong = true
      onLong('restored')
    },
    recovered(kind: string): void {
      measure()
      failing.delete(kind)
      if (failing.size > 0 || !isLong) return
      isLong = false
      onOver()
    },
    /** Reports whether there is an outage now that has lasted long. */
    isLong(): boolean {
      measure()
      return isLong
    },
  }
}
