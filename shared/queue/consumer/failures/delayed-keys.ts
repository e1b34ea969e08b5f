import { createBoundedCache } from './bounded-cache.ts'

/**
 * Remembers which keys have a message in the queue that comes back by itself. During an outage every change
 * of a cluster brings another message; SQS hands out nothing any more while 120,000 of a queue are invisible,
 * to the detriment of all clusters. One message a key is enough, as a key only means "look again".
 */
export interface DelayedKeys<K> {
  /** Reports whether another message of the key comes back later than now. */
  has(key: K, messageIds: readonly string[]): boolean
  /** @param seconds from now, when the messages come back */
  delay(key: K, messageIds: readonly string[], seconds: number): void
}

export function createDelayedKeys<K extends {}>(now: () => number = Date.now): DelayedKeys<K> {
  const delayed = createBoundedCache<K, readonly string[]>({ now })
  return {
    has(key, messageIds) {
      const known = delayed.get(key)
      return known !== undefined && !known.some((id) => messageIds.includes(id))
    },
    delay(key, messageIds, seconds) {
      delayed.set(key, messageIds, { ttl: seconds * 1000 })
    },
  }
}
