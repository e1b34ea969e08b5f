import { createBoundedCache } from './bounded-cache.ts'

/**
 * Remembers which keys have a delayed message in the queue. During an outage every change of a cluster adds a
 * message, and SQS delivers nothing for any cluster while 120,000 messages of a queue are invisible. One
 * message per key is enough, as a key only requests a sync.
 */
export interface DelayedKeys<K> {
  /** Reports whether another message of the key comes back later than now. */
  has(key: K, messageIds: readonly string[]): boolean
  /** @param seconds from now, when the messages come back */
  delay(key: K, messageIds: readonly string[], seconds: number): void
}

interface Delayed {
  readonly messageIds: readonly string[]
  /** Milliseconds since the epoch. In this one the cache still has the value. */
  readonly until: number
}

export function createDelayedKeys<K extends {}>(now: () => number = Date.now): DelayedKeys<K> {
  const delayed = createBoundedCache<K, Delayed>({ now })
  return {
    has(key, messageIds) {
      const known = delayed.get(key)
      if (known === undefined || known.until <= now()) return false
      return !known.messageIds.some((id) => messageIds.includes(id))
    },
    delay(key, messageIds, seconds) {
      const ms = seconds * 1000
      delayed.set(key, { messageIds, until: now() + ms }, { ttl: ms })
    },
  }
}
