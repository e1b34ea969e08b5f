import { dropOldest } from './drop-oldest.ts'

/**
 * Remembers which keys have a message in the queue that comes back by itself. During an outage every change of a cluster
 * brings another message; SQS hands out nothing any more while 120,000 of a queue are invisible, to the detriment of all
 * clusters. One message a key is enough, as a key only means "look again".
 */
export interface DelayedKeys<K> {
  /** Whether another message of the key comes back later than now. */
  has(key: K, messageIds: readonly string[]): boolean
  /** @param seconds from now, when the messages come back */
  delay(key: K, messageIds: readonly string[], seconds: number): void
  /** Keys remembered. */
  readonly size: number
}

interface Delayed {
  readonly messageIds: readonly string[]
  readonly until: number
}

export function createDelayedKeys<K>(now: () => number = Date.now): DelayedKeys<K> {
  const delayed = new Map<K, Delayed>()
  let sweptAt = now()

  function sweep(): void {
    // Amortized: nothing stays for longer than twice the longest time away.
    if (now() - sweptAt < 60_000) return
    sweptAt = now()
    for (const [key, { until }] of delayed) if (until <= sweptAt) delayed.delete(key)
  }

  return {
    has(key, messageIds) {
      const known = delayed.get(key)
      if (known === undefined || known.until <= now()) return false
      return !known.messageIds.some((id) => messageIds.includes(id))
    },
    delay(key, messageIds, seconds) {
      sweep()
      delayed.delete(key)
      delayed.set(key, { messageIds, until: now() + seconds * 1000 })
      dropOldest(delayed)
    },
    get size() {
      return delayed.size
    },
  }
}
