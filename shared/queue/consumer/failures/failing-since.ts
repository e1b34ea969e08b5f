import { dropOldest } from './drop-oldest.ts'
import type { FailureClass } from './failure-class.ts'

/** Remembers since when each key has been failing in the same way, as far as this process has seen. */
export interface FailingSince<K> {
  /** Notes that the key failed so, and returns for how many milliseconds it has. */
  note(key: K, failureClass: FailureClass): number
  /** It has succeeded. */
  forget(key: K): void
  /** Keys remembered. */
  readonly size: number
}

interface Failing {
  readonly failureClass: FailureClass
  readonly since: number
  readonly notedAt: number
}

/** Longer than any key that goes back to the queue for this reason stays away. */
const REMEMBERED_MS = 15 * 60_000

export function createFailingSince<K>(now: () => number = Date.now): FailingSince<K> {
  // In the order in which they were noted, so that the oldest come first.
  const failing = new Map<K, Failing>()
  return {
    note(key, failureClass) {
      const notedAt = now()
      const known = failing.get(key)
      const since = known?.failureClass === failureClass ? known.since : notedAt
      failing.delete(key)
      failing.set(key, { failureClass, since, notedAt })
      for (const [oldest, refusal] of failing) {
        if (notedAt - refusal.notedAt <= REMEMBERED_MS) break
        failing.delete(oldest)
      }
      dropOldest(failing)
      return notedAt - since
    },
    forget: (key) => void failing.delete(key),
    get size() {
      return failing.size
    },
  }
}
