import { ApiError, ConnectionError, UnauthorizedError } from '../../shared/kubernetes/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'

/** Tells of a cluster's troubles once when they begin and once when they are over, not at every try. */
export interface FailureLog {
  failed(kind: string, error: unknown, retryMs: number): void
  recovered(kind: string): void
}

export function createFailureLog(logger: Log, cluster: string): FailureLog {
  const failing = new Map<string, string>()
  let told = new Set<string>()
  return {
    failed(kind, error, retryMs) {
      const trouble = troubleOf(kind, error)
      failing.set(kind, trouble)
      if (told.has(trouble)) return
      told.add(trouble)
      logger.warn(
        { cluster, err: error, retrySeconds: Math.ceil(retryMs / 1000) },
        'cannot follow the cluster; its slices stay as they are',
      )
    },
    recovered(kind) {
      const trouble = failing.get(kind)
      failing.delete(kind)
      if (trouble === undefined || [...failing.values()].includes(trouble)) return
      // Another trouble may have followed one that was told: that one is over as well.
      told = told.intersection(new Set(failing.values()))
      logger.info({ cluster }, 'following the cluster again')
    },
  }
}

/**
 * All watches of a cluster break alike when it is unreachable or refuses the credentials: that is one trouble. What the
 * cluster says is no part of it: there would be no end to troubles where it says something else each time.
 */
function troubleOf(kind: string, error: unknown): string {
  if (error instanceof ConnectionError) return error.code
  if (error instanceof UnauthorizedError) return 'unauthorized'
  if (error instanceof ApiError) return `${kind}: ${error.name} ${error.code}`
  return `${kind}: ${error instanceof Error ? error.name : typeof error}`
}
