/** Lines of the log about the same thing come at most once in this time, in milliseconds. */
export const LOG_INTERVAL_MS = 10 * 60_000

/** Remembers which lines were logged. */
export interface LogLimit {
  /** Reports whether a line is to be logged now, and remembers that it was. */
  isDue(cluster: string, line: string): boolean
}

/** Anybody who may write slices can choose what a line is about, such as the name of a field manager. */
const MAX_REMEMBERED = 1_000

export function createLogLimit(now: () => number): LogLimit {
  const loggedAt = new Map<string, number>()
  return {
    isDue(cluster, line) {
      const key = `${cluster} ${line}`
      const last = loggedAt.get(key)
      if (last !== undefined && now() - last < LOG_INTERVAL_MS) return false
      loggedAt.delete(key)
      loggedAt.set(key, now())
      const [oldest] = loggedAt.keys()
      if (loggedAt.size > MAX_REMEMBERED && oldest !== undefined) loggedAt.delete(oldest)
      return true
    },
  }
}
