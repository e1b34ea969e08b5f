/**
 * Remembers when the last look at each key began that ended well. A message sent before that needs no look of its own: what
 * it tells of was there to be seen. So a backlog of messages for few keys melts at once.
 */
export interface RecentLooks<K> {
  /** @param sentTimestamp of the newest message, in milliseconds since the epoch */
  cover(key: K, sentTimestamp: number): boolean
  /** @param began in milliseconds since the epoch */
  remember(key: K, began: number): void
  /** Keys remembered. */
  readonly size: number
}

/** The queue's clock may be ahead of ours by so much, in milliseconds; a message as young as that is always looked into. */
const CLOCK_TOLERANCE_MS = 1_000
/** Longer than messages usually wait; what was forgotten is only looked at once more. */
const REMEMBERED_MS = 15 * 60_000

export function createRecentLooks<K>(now: () => number = Date.now): RecentLooks<K> {
  // In the order in which they were remembered, so that the oldest come first.
  const looks = new Map<K, number>()
  return {
    cover: (key, sentTimestamp) => sentTimestamp + CLOCK_TOLERANCE_MS < (looks.get(key) ?? 0),
    remember(key, began) {
      looks.delete(key)
      looks.set(key, began)
      for (const [oldest, then] of looks) {
        if (now() - then <= REMEMBERED_MS) break
        looks.delete(oldest)
      }
    },
    get size() {
      return looks.size
    },
  }
}
