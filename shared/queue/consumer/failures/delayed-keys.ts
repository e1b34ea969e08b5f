import { BoundedCache } from '../../../values/index.ts'

/** What says whether a message stands for another one of its key. */
export interface DelayedMessage {
  readonly messageId: string
  /** Milliseconds since the epoch. */
  readonly sentTimestamp: number
  /**
   * The version of the Nodes and the members of the cluster set that it names. However often it comes, its
   * sync may use what was cached as of these; everything else is read again.
   */
  readonly asOf: string
}

/**
 * Remembers which keys have a delayed message in the queue. During an outage every change of a cluster adds a
 * message, and SQS delivers nothing for any cluster while 120,000 messages of a queue are invisible. One
 * message per key is enough, as a key only requests a sync, unless a later one knows of newer Nodes or other
 * members.
 */
export interface DelayedKeys<K> {
  /** Reports whether a message that comes back later than now stands for these, of which it is none. */
  covers(key: K, messages: readonly DelayedMessage[]): boolean
  /** @param seconds from now, when the message comes back */
  delay(key: K, message: DelayedMessage, seconds: number): void
  /** Forgets when the key's message comes back, as that is not known. */
  forget(key: K): void
}

interface Delayed {
  readonly message: DelayedMessage
  /** Milliseconds since the epoch. In this one the cache still has the value. */
  readonly until: number
}

export function createDelayedKeys<K extends {}>(now: () => number = Date.now): DelayedKeys<K> {
  const delayed = new BoundedCache<K, Delayed>({ now })
  return {
    covers(key, messages) {
      const known = delayed.get(key)
      if (known === undefined || known.until <= now()) return false
      return messages.every((message) => standsFor(known.message, message))
    },
    delay(key, message, seconds) {
      const ms = seconds * 1000
      delayed.set(key, { message, until: now() + ms }, { ttlMs: ms })
    },
    forget: (key) => delayed.delete(key),
  }
}

const standsFor = (delayed: DelayedMessage, { messageId, sentTimestamp, asOf }: DelayedMessage): boolean =>
  delayed.messageId !== messageId && (delayed.asOf === asOf || delayed.sentTimestamp > sentTimestamp)
