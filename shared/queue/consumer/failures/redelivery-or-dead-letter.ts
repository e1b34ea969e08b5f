import { backoffSeconds } from './backoff.ts'
import type { Failure } from './classify-error.ts'
import { createDelayedKeys, type DelayedMessage } from './delayed-keys.ts'
import { createFailingSince } from './failing-since.ts'

/** A message of a failed key. */
export interface FailedMessage extends DelayedMessage {
  /** Number of times that the queue has handed it out, from 1. */
  readonly receiveCount: number
}

export interface FailedKey<K, M extends FailedMessage> {
  readonly key: K
  /** Messages of the key, at least one. */
  readonly messages: readonly M[]
  readonly failure: Failure
}

/** Decision about a failed key's messages. Those that do not go back count as done. */
export interface RedeliveryDecision<M extends FailedMessage> {
  /** They go back to the queue. */
  readonly back: readonly M[]
  /** Time for which returned messages stay away. */
  readonly seconds: number
  /**
   * Reason why none goes back. `dead-letter`: the key becomes a dead letter. `outage`: it is dropped; the
   * relay sends it again after the outage. `covered`: another message of the key is delayed already.
   */
  readonly otherwise?: 'dead-letter' | 'outage' | 'covered'
}

export interface Redelivery<K> {
  decide<M extends FailedMessage>(failed: FailedKey<K, M>): RedeliveryDecision<M>
  /** Notes that the queue may hand the key's messages out at another time than was decided. */
  notPostponed(key: K): void
  /** Notes that the key has succeeded. */
  succeeded(key: K): void
}

export interface RedeliveryOptions {
  /** Receives after which the queue itself moves a message to the dead letters; default: never. */
  readonly maxReceiveCount?: number
  /**
   * Whether the relay sends a key again that was dropped in an outage; if not, it becomes a dead letter.
   * Default: true.
   */
  readonly isSentAgain?: boolean
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly now?: () => number
  /** Source of random numbers from 0 to below 1; default `Math.random`. */
  readonly random?: () => number
}

/** Minimum number of receives of a key with a permanent error, before it becomes a dead letter … */
const FEW_RECEIVES = 4
/** … and minimum milliseconds since its first permanent error; earlier receives do not count. */
const FEW_RECEIVES_MS = 60_000

/**
 * Decides what becomes of keys that failed, so that nothing is lost:
 *
 * 1. A message that has receives left goes back, after a back-off by its receive count.
 * 2. Where older messages of the key have none left, the younger ones carry it on.
 * 3. A key without any left becomes a dead letter, written here with its story before SQS would move the bare
 *    message.
 * 4. In an outage of a cluster one message a key goes back and is enough, of those that know of the newest
 *    Nodes and members. When its receives are used up it is dropped, not dead-lettered: hours of outage
 *    would make a dead letter of every key without need. A key only requests a sync, and others do so once
 *    the cluster is back: the relay sends every key of a cluster that it could not reach for long, and each
 *    of its sweeps sends the keys whose slices are not right. So a dropped key is synced at most one
 *    sweepInterval after the outage. A cluster that fails for this function alone is no exception, as a sweep
 *    does not depend on what the function sees.
 */
export function createRedelivery<K extends {}>({
  maxReceiveCount = Number.POSITIVE_INFINITY,
  isSentAgain = true,
  now = Date.now,
  random = Math.random,
}: RedeliveryOptions = {}): Redelivery<K> {
  const failing = createFailingSince<K>(now)
  const delayed = createDelayedKeys<K>(now)

  function hasReceivesLeft(failed: FailedKey<K, FailedMessage>): (message: FailedMessage) => boolean {
    const { key, failure } = failed
    if (failure.disposition === 'never') return () => false
    const lastedMs = failing.note(key, failure.class)
    const isPatienceOver = failure.disposition === 'retry-few' && lastedMs >= FEW_RECEIVES_MS
    const limit = isPatienceOver ? Math.min(FEW_RECEIVES, maxReceiveCount) : maxReceiveCount
    return ({ receiveCount }) => receiveCount < limit
  }

  function secondsOf({ messages, failure }: FailedKey<K, FailedMessage>): number {
    const receiveCount = Math.max(...messages.map((message) => message.receiveCount))
    return backoffSeconds({ receiveCount, ...failure }, random)
  }

  function decideOutage<M extends FailedMessage>(
    failed: FailedKey<K, M>,
    left: readonly M[],
    seconds: number,
  ): RedeliveryDecision<M> {
    if (delayed.covers(failed.key, failed.messages)) return { back: [], seconds, otherwise: 'covered' }
    const waiting = youngestOfNewest(left)
    if (waiting === undefined) return { back: [], seconds, otherwise: isSentAgain ? 'outage' : 'dead-letter' }
    delayed.delay(failed.key, waiting, seconds)
    return { back: [waiting], seconds }
  }

  return {
    decide(failed) {
      const left = failed.messages.filter(hasReceivesLeft(failed))
      const seconds = secondsOf(failed)
      if (failed.failure.isOutage) return decideOutage(failed, left, seconds)
      return left.length > 0 ? { back: left, seconds } : { back: [], seconds, otherwise: 'dead-letter' }
    },
    notPostponed: (key) => delayed.forget(key),
    succeeded: (key) => failing.forget(key),
  }
}

/** Returns the message with the most receives left, of those that know what the latest one knows. */
function youngestOfNewest<M extends FailedMessage>(messages: readonly M[]): M | undefined {
  const latest = messages.toSorted((one, other) => other.sentTimestamp - one.sentTimestamp)[0]
  return messages
    .filter(({ asOf }) => asOf === latest?.asOf)
    .toSorted((one, other) => one.receiveCount - other.receiveCount)[0]
}
