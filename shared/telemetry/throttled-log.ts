import type { Warner } from './logger.ts'

/** Milliseconds between log lines: a queue that is down refuses hundreds of requests a second. */
const INTERVAL_MS = 10_000

/**
 * Passes on at most one warning in 10 s; the next one says how many were left out since (`alike`).
 * @param now milliseconds of a clock that never goes back; default `performance.now`
 */
export function throttleWarnings(logger: Warner, now: () => number = () => performance.now()): Warner {
  let last = Number.NEGATIVE_INFINITY
  let leftOut = 0
  return {
    warn(fields, message) {
      if (now() - last < INTERVAL_MS) {
        leftOut++
        return
      }
      last = now()
      logger.warn(leftOut > 0 ? { ...fields, alike: leftOut } : fields, message)
      leftOut = 0
    },
  }
}
