import { BoundedCache } from '../../../values/index.ts'
import type { FailureClass } from './failure-class.ts'

/** Remembers since when each key has been failing in the same way, as far as this process has seen. */
export interface FailingSince<K> {
  /** Notes that the key failed so, and returns for how many milliseconds it has. */
  note(key: K, failureClass: FailureClass): number
  /** Forgets a key that has succeeded. */
  forget(key: K): void
}

interface Failing {
  readonly failureClass: FailureClass
  readonly since: number
}

/** Longer than any key that goes back to the queue for this reason stays away. */
const REMEMBERED_MS = 15 * 60_000

export function createFailingSince<K extends {}>(now: () => number = Date.now): FailingSince<K> {
  const failing = new BoundedCache<K, Failing>({ ttlMs: REMEMBERED_MS, now })
  return {
    note(key, failureClass) {
      const notedAt = now()
      const known = failing.get(key)
      const since = known?.failureClass === failureClass ? known.since : notedAt
      failing.set(key, { failureClass, since })
      return notedAt - since
    },
    forget: (key) => failing.delete(key),
  }
}
