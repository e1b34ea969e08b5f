import { dropOldest } from './drop-oldest.ts'

/**
 * Remembers which keys have a message in the queue that comes back by itself. During an outage every change of a cluster
 * brings another message; SQS hands out nothing any more while 120,000 of a queue are invisible, to the detriment of all
 * clusters. One message a key is enough, as a key only means "look again".
 */
export interface ParkedKeys<K> {
  /** Whether another message of the key comes back later than now. */
  has(key: K, messageIds: readonly string[]): boolean
  /** @param seconds from now, when the messages come back */
  park(key: K, messageIds: readonly string[], seconds: number): void
  /** Keys remembered. */
  readonly size: number
}

interface Parked {
  readonly messageIds: readonly string[]
  readonly until: number
}

export function createParkedKeys<K>(now: () => number = Date.now): ParkedKeys<K> {
  const parked = new Map<K, Parked>()
  let sweptAt = now()

  function sweep(): void {
    // Amortized: nothing stays for longer than twice the longest time away.
    if (now() - sweptAt < 60_000) return
    sweptAt = now()
    for (const [key, { until }] of parked) if (until <= sweptAt) parked.delete(key)
  }

  return {
    has(key, messageIds) {
      const known = parked.get(key)
      if (known === undefined || known.until <= now()) return false
      return !known.messageIds.some((id) => messageIds.includes(id))
    },
    park(key, messageIds, seconds) {
      sweep()
      parked.delete(key)
      parked.set(key, { messageIds, until: now() + seconds * 1000 })
      dropOldest(parked)
    },
    get size() {
      return parked.size
    },
  }
}
