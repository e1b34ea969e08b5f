import { TokenBucket } from '../../kubernetes/index.ts'
import { type KeyText, keyText, type ServiceKey } from './key.ts'

/** Seconds' worth of keys that may be sent at once after a quiet time. */
const BURST_SECONDS = 0.25
/**
 * Keys in flight in any case. With 200 new Services on 2 processors, a kube-apiserver that was asked for all
 * that it could take wrote 1,076 slices without a limit, with a p99 of 4.0 s; 923 with 32 (2.6 s), 655 with
 * 16 (2.6 s) and 415 with 8 (3.9 s).
 */
const MIN_IN_FLIGHT = 16
/**
 * Longest time for which a key counts as in flight, in milliseconds. A sync that writes nothing is invisible,
 * and after an outage the usual time of a sync says nothing: at least 32 keys a second go in any case.
 */
const MAX_IN_FLIGHT_MS = 500
/** What the time of the quickest syncs rises by in a minute without one that is as quick. */
const RISE_A_MINUTE = 1.1

export interface KeyBucketOptions {
  /** Calls a second to the API server in the long run. */
  readonly callsPerSecond: number
  /** Calls of a sync. */
  readonly callsPerSync: number
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: (() => number) | undefined
}

/**
 * A bucket of keys that keeps to a limit of calls, and of keys in flight: those that were sent and not
 * written since. As many are in flight as it lets go in the time of the quickest syncs. If more keys change,
 * those that wait merge their further changes: an API server that is short of time gets fewer requests, not
 * more. A message in the queue merges with nothing, and what it says of slices may be outdated once its turn
 * has come.
 */
export class KeyBucket {
  readonly #bucket: TokenBucket
  readonly #perSecond: number
  readonly #now: () => number
  /** Keys in flight, with the time from which they count as synced, in the order in which they were sent. */
  readonly #inFlight = new Map<KeyText, number>()
  #quickest: { readonly ms: number; readonly at: number } | undefined

  constructor({ callsPerSecond, callsPerSync, now = () => performance.now() }: KeyBucketOptions) {
    this.#perSecond = callsPerSecond / callsPerSync
    const burst = Math.max(1, this.#perSecond * BURST_SECONDS)
    this.#bucket = new TokenBucket({ perSecond: this.#perSecond, burst, now })
    this.#now = now
  }

  /** Keys that may be sent now. */
  get tokens(): number {
    return Math.max(0, Math.min(this.#bucket.tokens, this.#maxInFlight() - this.#countInFlight()))
  }

  take(count: number): void {
    this.#bucket.take(count)
  }

  /** Returns the milliseconds until one key may be sent, unless one in flight is written before. */
  waitMs(): number {
    const isFull = this.#countInFlight() >= this.#maxInFlight()
    const [until = 0] = isFull ? this.#inFlight.values() : []
    return Math.max(this.#bucket.waitMs(1), until - this.#now())
  }

  /** Counts a key as in flight. @param maxMs the longest time for which it does, in milliseconds */
  sent(key: ServiceKey, maxMs: number): void {
    const text = keyText(key)
    this.#inFlight.delete(text)
    this.#inFlight.set(text, this.#now() + Math.min(maxMs, MAX_IN_FLIGHT_MS))
  }

  /** Ends a key's being in flight. @param syncMs duration of its sync, in milliseconds, if it is known */
  written(key: ServiceKey, syncMs?: number): void {
    this.#inFlight.delete(keyText(key))
    if (syncMs !== undefined && syncMs <= this.#quickestMs()) this.#quickest = { ms: syncMs, at: this.#now() }
  }

  #countInFlight(): number {
    for (const [key, until] of this.#inFlight) {
      if (until > this.#now()) break
      this.#inFlight.delete(key)
    }
    return this.#inFlight.size
  }

  #maxInFlight(): number {
    return Math.max(MIN_IN_FLIGHT, Math.floor((this.#perSecond * this.#quickestMs()) / 1000))
  }

  #quickestMs(): number {
    if (this.#quickest === undefined) return Number.POSITIVE_INFINITY
    const { ms, at } = this.#quickest
    return ms * RISE_A_MINUTE ** ((this.#now() - at) / 60_000)
  }
}
