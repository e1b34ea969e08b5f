import { type ProcessingTime, TokenBucket } from '../../kubernetes/index.ts'
import { type KeyText, keyText, type ServiceKey } from './key.ts'

/** Returns the same time whatever is written. */
export const fixedTime = (ms: number): ProcessingTime => ({ minMs: ms, maxMs: ms })

/**
 * Number of endpoints with which deferrable changes wait half of what they may: with 20 a sixth, with 500
 * five sixths. A message then stands for more changes where a change costs more: the slices that are written
 * again and sent to every watcher are that large.
 */
const DEFERRABLE_HALF_AT = 100
/** Number of endpoints with which urgent changes wait half of their window: a fifth of it with 50. */
const URGENT_HALF_AT = 200

/**
 * Longest time that deferrable changes wait without a window: 0.42 s with 500 endpoints. Most go along with
 * others before: a rolling update of these at 20 a second takes 1.1 writes a Pod by this, and 3 where nothing
 * waits.
 */
const MAX_DEFER_MS = 500
/**
 * Windows that deferrable changes may wait: they are about Pods anywhere in the Service, and each flush of
 * them writes nearly all of its slices. Beyond 2 s it is one window.
 */
const DEFER_WINDOWS = 3
const DEFER_WINDOWS_MAX_MS = 2000

/** A sync without writes is invisible to the relay, which waits for this time if syncs are quick. */
const MIN_SYNC_MS = 100
/** Until the first write of a sync arrives, as it may be a cold start. */
const FIRST_SYNC_MS = 500
/** Functions that are slower have other troubles; no change waits longer for a sync without writes. */
const MAX_SYNC_MS = 10_000
/** Factor of the average. If the system is busy, a second message of a key would only queue up as well. */
const TIMES_AVERAGE = 3
/** The share of the newest in the average. */
const NEWEST = 0.1
/** Sendings in a row without a write, after which the time of the key doubles with each. */
const UNANSWERED = 4
/**
 * Up to this, in milliseconds: what is refused, held or left alone must not take the time that others need,
 * and once it is mended it waits for no longer than this.
 */
const MAX_UNANSWERED_MS = 2_000
/**
 * Milliseconds after which a write is not that of the sync, as it may have found nothing to write; and after
 * which slow syncs say nothing of the next one.
 */
const FORGET_MS = 60_000

/** A sync of what a hint names takes two to four calls, a sync of a whole Service a few more. */
const CALLS_PER_SYNC = 4
/** Seconds' worth of keys that may be sent at once after a quiet time. */
const BURST_SECONDS = 0.25
/**
 * Keys in flight in any case. With 200 new Services on 2 processors, a kube-apiserver that was asked for all
 * that it could take wrote 814 slices with 16 (p99 1.2 s), 633 with 12 (2.7 s), 495 with 8 (3.5 s) and 405
 * with 5 (2.8 s): fewer keep most Pods waiting for longer.
 */
const MIN_IN_FLIGHT = 16
/**
 * Longest time for which a key counts as in flight, in milliseconds. A sync that writes nothing is invisible,
 * and after an outage the usual time of a sync says nothing: at least 32 keys a second go in any case.
 */
const MAX_IN_FLIGHT_MS = 500
/** What the time of the quickest syncs rises by in a minute without one that is as quick. */
const RISE_A_MINUTE = 1.1

/** Creates a bucket of the keys that may be sent. @param perSecond keys in the long run */
export const keyBucket = (perSecond: number, now?: () => number): TokenBucket =>
  new TokenBucket({ perSecond, burst: Math.max(1, perSecond * BURST_SECONDS), now })

interface RateLimiterOptions {
  /** `auto`, or seconds: a window is set for few writes. */
  readonly window: 'auto' | number
  /** Endpoints of the Service's slices. */
  readonly endpointCount: (key: ServiceKey) => number
  /** Calls a second to the API server in the long run. */
  readonly apiCallsPerSecond: number
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: (() => number) | undefined
}

/**
 * Says when keys may be sent.
 *
 * One that was sent is being processed for a time. With `auto`, changes that bring traffic or save it wait
 * for the last sync only, and deferrable ones for longer, the more a message costs. With a window both wait
 * for the longer the more a message costs, up to the window.
 *
 * All of them keep to a limit of calls, and of keys in flight: those that were sent and not written since.
 * As many are in flight as go in the time of the quickest syncs. If more keys change, those that wait merge
 * their further changes: an API server that is short of time gets fewer requests, not more. A message in the
 * queue merges with nothing, and what it says of slices may be outdated once its turn has come.
 */
export class RateLimiter {
  readonly #windowMs: 'auto' | number
  readonly #endpointCount: (key: ServiceKey) => number
  readonly #keysPerSecond: number
  readonly #bucket: TokenBucket
  readonly #now: () => number
  /** Keys that were sent and whose slices were not written since, in the order of their last sending. */
  readonly #unwritten = new Map<KeyText, { readonly sentAt: number; readonly times: number }>()
  /** Keys in flight, with the time from which they count as synced, in the order in which they were sent. */
  readonly #inFlight = new Map<KeyText, number>()
  #average: { readonly ms: number; readonly at: number } | undefined
  #quickest: { readonly ms: number; readonly at: number } | undefined

  constructor({
    window,
    endpointCount,
    apiCallsPerSecond,
    now = () => performance.now(),
  }: RateLimiterOptions) {
    this.#windowMs = window === 'auto' ? window : window * 1000
    this.#endpointCount = endpointCount
    this.#keysPerSecond = apiCallsPerSecond / CALLS_PER_SYNC
    this.#bucket = keyBucket(this.#keysPerSecond, now)
    this.#now = now
  }

  /** Returns the time of a key that is about to be sent. */
  when(key: ServiceKey): ProcessingTime {
    if (this.#windowMs === 0) return fixedTime(0)
    const endpoints = this.#endpointCount(key)
    const share = (ms: number, halfAt: number): number => (ms * endpoints) / (endpoints + halfAt)
    const minMs = this.#windowMs === 'auto' ? 0 : share(this.#windowMs, URGENT_HALF_AT)
    return {
      minMs,
      maxMs: Math.max(minMs, this.#syncMs(key)),
      deferMs: share(maxDeferMs(this.#windowMs), DEFERRABLE_HALF_AT),
    }
  }

  /** Keys that may be sent now. */
  get tokens(): number {
    return Math.max(0, Math.min(this.#bucket.tokens, this.#maxInFlight() - this.#countInFlight()))
  }

  take(count: number): void {
    this.#bucket.take(count)
  }

  /** Returns the milliseconds until so many keys may be sent, unless one in flight is written before. */
  waitMs(count: number): number {
    const isFull = this.#countInFlight() >= this.#maxInFlight()
    const [until = 0] = isFull ? this.#inFlight.values() : []
    return Math.max(this.#bucket.waitMs(count), until - this.#now())
  }

  sent(key: ServiceKey): void {
    this.#forget()
    const text = keyText(key)
    const times = (this.#unwritten.get(text)?.times ?? 0) + 1
    this.#unwritten.delete(text)
    this.#inFlight.delete(text)
    this.#unwritten.set(text, { sentAt: this.#now(), times })
    this.#inFlight.set(text, this.#now() + Math.min(this.#usualMs(), MAX_IN_FLIGHT_MS))
  }

  /** Notes that the watch delivered a write of the Service's slices. */
  written(key: ServiceKey): void {
    this.#forget()
    const text = keyText(key)
    const known = this.#unwritten.get(text)
    if (known === undefined) return
    this.#unwritten.delete(text)
    this.#inFlight.delete(text)
    const syncMs = this.#now() - known.sentAt
    // What was sent more than once may have been written for an earlier message.
    if (known.times === 1 && syncMs <= this.#quickestMs()) this.#quickest = { ms: syncMs, at: this.#now() }
    const average = this.#averageMs() ?? syncMs
    this.#average = { ms: average + (syncMs - average) * NEWEST, at: this.#now() }
  }

  /** Returns the time by which a sync is over: longer than nearly all take. */
  #usualMs(): number {
    const average = this.#averageMs()
    if (average === undefined) return FIRST_SYNC_MS
    return Math.min(MAX_SYNC_MS, Math.max(MIN_SYNC_MS, average * TIMES_AVERAGE))
  }

  #averageMs(): number | undefined {
    if (this.#average === undefined) return undefined
    const { ms, at } = this.#average
    return this.#now() - at > FORGET_MS ? Math.min(ms, FIRST_SYNC_MS / TIMES_AVERAGE) : ms
  }

  /** Returns the time of {@link #usualMs}, and longer still if nothing was written again and again. */
  #syncMs(key: ServiceKey): number {
    const usual = this.#usualMs()
    const times = this.#unwritten.get(keyText(key))?.times ?? 0
    return Math.max(usual, Math.min(MAX_UNANSWERED_MS, usual * 2 ** (times - UNANSWERED)))
  }

  #countInFlight(): number {
    this.#forget()
    return this.#inFlight.size
  }

  #maxInFlight(): number {
    return Math.max(MIN_IN_FLIGHT, Math.floor((this.#keysPerSecond * this.#quickestMs()) / 1000))
  }

  #quickestMs(): number {
    if (this.#quickest === undefined) return Number.POSITIVE_INFINITY
    const { ms, at } = this.#quickest
    return ms * RISE_A_MINUTE ** ((this.#now() - at) / 60_000)
  }

  #forget(): void {
    const now = this.#now()
    for (const [key, until] of this.#inFlight) {
      if (until > now) break
      this.#inFlight.delete(key)
    }
    for (const [key, { sentAt }] of this.#unwritten) {
      if (now - sentAt <= FORGET_MS) break
      this.#unwritten.delete(key)
    }
  }
}

function maxDeferMs(windowMs: 'auto' | number): number {
  if (windowMs === 'auto') return MAX_DEFER_MS
  return Math.max(windowMs, Math.min(DEFER_WINDOWS * windowMs, DEFER_WINDOWS_MAX_MS))
}
