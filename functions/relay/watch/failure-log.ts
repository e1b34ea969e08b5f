import { ApiError, ConnectionError, UnauthorizedError } from '../../../shared/kubernetes/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'

/** Pauses between log lines of a failure that goes on, in milliseconds: the first doubles up to the last. */
const FIRST_PAUSE_MS = 60_000
const MAX_PAUSE_MS = 3_600_000

interface Logged {
  readonly since: number
  readonly at: number
  readonly pauseMs: number
}

export type FailureLog = ReturnType<typeof createFailureLog>

/**
 * Logs a cluster's troubles when they begin, while they last with pauses that grow, and when they are
 * over; not at every try.
 * @param now milliseconds of a clock that never goes back; default `performance.now`
 */
export function createFailureLog(logger: Log, cluster: string, now = () => performance.now()) {
  const failing = new Map<string, string>()
  const logged = new Map<string, Logged>()
  return {
    failed(kind: string, err: unknown, retryMs: number): void {
      const trouble = troubleOf(kind, err)
      failing.set(kind, trouble)
      const before = logged.get(trouble)
      const at = now()
      const fields = { cluster, err, retrySeconds: Math.ceil(retryMs / 1000) }
      if (before === undefined) {
        logged.set(trouble, { since: at, at, pauseMs: FIRST_PAUSE_MS })
        logger.warn(fields, 'cannot follow the cluster; its slices stay as they are')
      } else if (at - before.at >= before.pauseMs) {
        logged.set(trouble, { ...before, at, pauseMs: Math.min(2 * before.pauseMs, MAX_PAUSE_MS) })
        const forSeconds = Math.round((at - before.since) / 1000)
        logger.warn({ ...fields, forSeconds }, 'still cannot follow the cluster; its slices stay as they are')
      }
    },
    recovered(kind: string): void {
      const trouble = failing.get(kind)
      failing.delete(kind)
      if (trouble === undefined || [...failing.values()].includes(trouble)) return
      // Another failure may have followed one that was logged: that one is over as well.
      const going = new Set(failing.values())
      for (const one of logged.keys()) if (!going.has(one)) logged.delete(one)
      logger.info({ cluster }, 'watching the cluster again')
    },
  }
}

/**
 * Names the trouble behind an error. All watches of a cluster break alike if it is unreachable or refuses the
 * credentials: that is one trouble. The cluster's own words are no part of it: they may differ each time.
 */
function troubleOf(kind: string, error: unknown): string {
  if (error instanceof ConnectionError) return error.code
  if (error instanceof UnauthorizedError) return 'unauthorized'
  if (error instanceof ApiError) return `${kind}: ${error.name} ${error.code}`
  return `${kind}: ${error instanceof Error ? error.name : typeof error}`
}
