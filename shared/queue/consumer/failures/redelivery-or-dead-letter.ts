import { BoundedCache } from '../../../values/index.ts'
import { backoffSeconds } from './backoff.ts'
import type { Failure } from './classify-error.ts'
import type { FailureClass } from './failure-class.ts'

export interface FailedMessage {
  readonly messageId: string
  /** Milliseconds since the epoch. */
  readonly sentTimestamp: number
  /** Number of times that the queue has handed it out, from 1. */
  readonly receiveCount: number
  /**
   * The version of the Nodes and the members of the cluster set that it names. However often it comes, its
   * sync may use what was cached as of these; everything else is read again.
   */
  readonly asOf: string
}

export interface FailedKey<K, M extends FailedMessage> {
  readonly key: K
  /** Messages of the key, at least one. */
  readonly messages: readonly M[]
  readonly failure: Failure
}

/** Decision about a failed key's messages. Those that do not go back count as done. */
interface RedeliveryDecision<M extends FailedMessage> {
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

export interface RedeliveryOptions {
  /**
   * Maximum of the queue's redrive policy: receives after which the queue itself moves a message to the dead
   * letters. A key that fails in its last one becomes a dead letter here, with its story. Default: never.
   */
  readonly maxReceiveCount?: number
  /** Whether the relay repeats a key that an outage dropped; else it is dead-lettered. Default: true. */
  readonly isSentAgain?: boolean
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly now?: () => number
  /** Source of random numbers from 0 to below 1; default `Math.random`. */
  readonly random?: () => number
}

/** How a key has been failing, and since when, as far as this process has seen. */
interface Failing {
  readonly failureClass: FailureClass
  readonly since: number
}

/** A message that is delayed in the queue, from when, and until when, in milliseconds since the epoch. */
interface Delayed {
  readonly message: FailedMessage
  /** Before it, the clock was set back since. */
  readonly at: number
  /** In this millisecond the cache still has the value. */
  readonly until: number
}

/** Minimum number of receives of a key with a permanent error, before it becomes a dead letter … */
const FEW_RECEIVES = 4
/** … and minimum milliseconds since its first permanent error; earlier receives do not count. */
const FEW_RECEIVES_MS = 60_000
/** Longer than any key that goes back to the queue for this reason stays away. */
const REMEMBERED_MS = 15 * 60_000

/**
 * Decides what becomes of keys that failed, so that nothing is lost:
 *
 * 1. A message that has receives left goes back, after a back-off by its receive count.
 * 2. Where older messages of the key have none left, the younger ones carry it on.
 * 3. A key without any left becomes a dead letter, written here with its story before SQS would move the bare
 *    message.
 * 4. In an outage of a cluster one message a key goes back and is enough, of those that know of the newest
 *    Nodes and members: every change adds one, and SQS delivers nothing for any cluster while 120,000
 *    messages of a queue are invisible. When its receives are used up it is dropped, not dead-lettered: hours
 *    of outage would make a dead letter of every key without need. A key only requests a sync, and others do
 *    so once the cluster is back: the relay sends every key of a cluster that it could not reach for long,
 *    and each of its sweeps sends the keys whose slices are not right. So a dropped key is synced at most one
 *    sweepInterval after the outage. A cluster that fails for this function alone is no exception, as a sweep
 *    does not depend on what the function sees.
 */
export class Redelivery<K extends {}> {
  readonly #options: Required<RedeliveryOptions>
  readonly #failing: BoundedCache<K, Failing>
  readonly #delayed: BoundedCache<K, Delayed>

  constructor({
    maxReceiveCount = Number.POSITIVE_INFINITY,
    isSentAgain = true,
    now = Date.now,
    random = Math.random,
  }: RedeliveryOptions = {}) {
    this.#options = { maxReceiveCount, isSentAgain, now, random }
    this.#failing = new BoundedCache({ ttlMs: REMEMBERED_MS, now })
    this.#delayed = new BoundedCache({ now })
  }

  decide<M extends FailedMessage>(failed: FailedKey<K, M>): RedeliveryDecision<M> {
    const { messages, failure } = failed
    const limit = this.#receiveLimit(failed)
    const left = messages.filter(({ receiveCount }) => receiveCount < limit)
    const receiveCount = Math.max(...messages.map((message) => message.receiveCount))
    const seconds = backoffSeconds({ receiveCount, ...failure }, this.#options.random)
    if (failure.isOutage) return this.#decideOutage(failed, left, seconds)
    return left.length > 0 ? { back: left, seconds } : { back: [], seconds, otherwise: 'dead-letter' }
  }

  /** Notes that the queue may hand the key's messages out at another time than was decided. */
  notPostponed(key: K): void {
    this.#delayed.delete(key)
  }

  succeeded(key: K): void {
    this.#failing.delete(key)
  }

  /** Returns the number of receives from which a message of the key does not go back. */
  #receiveLimit({ key, failure }: FailedKey<K, FailedMessage>): number {
    if (failure.disposition === 'never') return 0
    const now = this.#options.now()
    const known = this.#failing.get(key)
    const since = known?.failureClass === failure.class ? known.since : now
    this.#failing.set(key, { failureClass: failure.class, since })
    const { maxReceiveCount } = this.#options
    const isPatienceOver = failure.disposition === 'retry-few' && now - since >= FEW_RECEIVES_MS
    return isPatienceOver ? Math.min(FEW_RECEIVES, maxReceiveCount) : maxReceiveCount
  }

  #decideOutage<M extends FailedMessage>(
    failed: FailedKey<K, M>,
    left: readonly M[],
    seconds: number,
  ): RedeliveryDecision<M> {
    if (this.#isCovered(failed)) return { back: [], seconds, otherwise: 'covered' }
    const message = youngestOfNewest(left)
    if (message === undefined)
      return { back: [], seconds, otherwise: this.#options.isSentAgain ? 'outage' : 'dead-letter' }
    const ttlMs = seconds * 1000
    const at = this.#options.now()
    this.#delayed.set(failed.key, { message, at, until: at + ttlMs }, { ttlMs })
    return { back: [message], seconds }
  }

  /** Reports whether a message that comes back later than now stands for these, of which it is none. */
  #isCovered({ key, messages }: FailedKey<K, FailedMessage>): boolean {
    const delayed = this.#delayed.get(key)
    const now = this.#options.now()
    if (delayed === undefined || now < delayed.at || delayed.until <= now) return false
    return messages.every((message) => standsFor(delayed.message, message))
  }
}

const standsFor = (delayed: FailedMessage, { messageId, sentTimestamp, asOf }: FailedMessage): boolean =>
  delayed.messageId !== messageId && (delayed.asOf === asOf || delayed.sentTimestamp > sentTimestamp)

/** Returns the message with the most receives left, of those that know what the latest one knows. */
function youngestOfNewest<M extends FailedMessage>(messages: readonly M[]): M | undefined {
  const latest = messages.toSorted((one, other) => other.sentTimestamp - one.sentTimestamp)[0]
  return messages
    .filter(({ asOf }) => asOf === latest?.asOf)
    .toSorted((one, other) => one.receiveCount - other.receiveCount)[0]
}
