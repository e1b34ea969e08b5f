import { dropOldest } from './drop-oldest.ts'
import type { FailureClass } from './failure-class.ts'

/** Remembers since when each key has been failing in the same way, as far as this process has seen. */
export interface Refusals<K> {
  /** Notes that the key failed so, and returns for how many milliseconds it has. */
  note(key: K, failureClass: FailureClass): number
  /** It has succeeded. */
  forget(key: K): void
  /** Keys remembered. */
  readonly size: number
}

interface Refusal {
  readonly failureClass: FailureClass
  readonly since: number
  readonly notedAt: number
}

/** Longer than any key that goes back to the queue for this reason stays away. */
const REMEMBERED_MS = 15 * 60_000

export function createRefusals<K>(now: () => number = Date.now): Refusals<K> {
  // In the order in which they were noted, so that the oldest come first.
  const refusals = new Map<K, Refusal>()
  return {
    note(key, failureClass) {
      const notedAt = now()
      const known = refusals.get(key)
      const since = known?.failureClass === failureClass ? known.since : notedAt
      refusals.delete(key)
      refusals.set(key, { failureClass, since, notedAt })
      for (const [oldest, refusal] of refusals) {
        if (notedAt - refusal.notedAt <= REMEMBERED_MS) break
        refusals.delete(oldest)
      }
      dropOldest(refusals)
      return notedAt - since
    },
    forget: (key) => void refusals.delete(key),
    get size() {
      return refusals.size
    },
  }
}
