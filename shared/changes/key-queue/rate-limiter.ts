import type { ProcessingTime } from '../../kubernetes/index.ts'
import { type KeyText, keyText, type ServiceKey } from './key.ts'
import type { KeyBucket } from './key-bucket.ts'

/** Returns the same time whatever is written. */
export const fixedTime = (ms: number): ProcessingTime => ({ minMs: ms, maxMs: ms })

/**
 * Number of endpoints with which deferrable changes wait half of what they may: with 20 a sixth, with 500
 * five sixths. A message then stands for more changes where a change costs more: the slices that are written
 * again and sent to every watcher are that large.
 */
const DEFERRABLE_HALF_AT = 100
/**
 * Number of endpoints with which urgent changes wait half of their window: with 20 an eleventh, with 500 five
 * sevenths.
 */
const URGENT_HALF_AT = 200

/**
 * Longest time between deferrable changes without a window. With 500 endpoints they are handed out 0.42 s
 * apart, and some go along with others before. A rolling update of these at 20 a second takes 1.6 writes a
 * Pod by this, 1.9 by half of it, 1.4 by twice, and 3 where nothing waits.
 */
const MAX_DEFER_MS = 500
/**
 * Windows that deferrable changes may wait: they are about Pods anywhere in the Service, and each flush of
 * them writes nearly all of its slices. Beyond 2 s it is one window.
 */
const DEFER_WINDOWS = 3
const DEFER_WINDOWS_MAX_MS = 2000

/**
 * A sync without writes is invisible to the relay: this is the end of waiting for it, where syncs are quick.
 */
const MIN_SYNC_MS = 100
/** Until the first write of a sync arrives, as it may be a cold start. */
const FIRST_SYNC_MS = 500
/**
 * Functions that are slower have other troubles; a change must not wait longer for a sync that wrote nothing.
 */
const MAX_SYNC_MS = 10_000
/**
 * Factor of the average. If functions or API server are busy, a second message for the same key would only
 * stand in the queue as well.
 */
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

export interface RateLimiterOptions {
  /** `auto`, or seconds: a window is set for few writes. */
  readonly window: 'auto' | number
  /** Endpoints of the Service's slices. */
  readonly endpointCount: (key: ServiceKey) => number
  /** Counts the keys that are sent and not written yet. Default: they are not counted. */
  readonly bucket?: Pick<KeyBucket, 'sent' | 'written'> | undefined
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: (() => number) | undefined
}

/**
 * Says for how long a key that was sent is being processed. With `auto`, changes that bring traffic or save
 * it wait for the last sync only, and deferrable ones for longer, the more a message costs. With a window
 * both wait for the longer the more a message costs, up to the window.
 */
export class RateLimiter {
  readonly #windowMs: 'auto' | number
  readonly #endpointCount: (key: ServiceKey) => number
  readonly #bucket: RateLimiterOptions['bucket']
  readonly #now: () => number
  /** Keys that were sent and whose slices were not written since, in the order of their last sending. */
  readonly #unwritten = new Map<KeyText, { readonly sentAt: number; readonly times: number }>()
  #average: { readonly ms: number; readonly at: number } | undefined

  constructor({ window, endpointCount, bucket, now = () => performance.now() }: RateLimiterOptions) {
    this.#windowMs = window === 'auto' ? window : window * 1000
    this.#endpointCount = endpointCount
    this.#bucket = bucket
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

  sent(key: ServiceKey): void {
    this.#forget()
    const text = keyText(key)
    const times = (this.#unwritten.get(text)?.times ?? 0) + 1
    this.#unwritten.delete(text)
    this.#unwritten.set(text, { sentAt: this.#now(), times })
    this.#bucket?.sent(key, this.#usualMs())
  }

  /** Notes that the watch delivered a write of the Service's slices. */
  written(key: ServiceKey): void {
    this.#forget()
    const text = keyText(key)
    const known = this.#unwritten.get(text)
    if (known === undefined) return
    this.#unwritten.delete(text)
    const syncMs = this.#now() - known.sentAt
    // What was sent more than once may have been written for an earlier message.
    this.#bucket?.written(key, known.times === 1 ? syncMs : undefined)
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

  #forget(): void {
    for (const [key, { sentAt }] of this.#unwritten) {
      if (this.#now() - sentAt <= FORGET_MS) return
      this.#unwritten.delete(key)
    }
  }
}

function maxDeferMs(windowMs: 'auto' | number): number {
  if (windowMs === 'auto') return MAX_DEFER_MS
  return Math.max(windowMs, Math.min(DEFER_WINDOWS * windowMs, DEFER_WINDOWS_MAX_MS))
}
