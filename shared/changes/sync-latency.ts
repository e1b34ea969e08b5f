import { type KeyText, keyText, type ServiceKey } from './key.ts'

/** Knows how long it takes from the sending of a key until its slices are seen written. */
export interface SyncLatency {
  sent(key: ServiceKey): void
  written(key: ServiceKey): void
  /**
   * Returns how long the key may rest for its sync, in milliseconds: longer than nearly all syncs take, and
   * longer still if nothing was written again and again.
   */
  maxMs(key: ServiceKey): number
}

/**
 * A look that had nothing to write is never seen: this is the end of waiting for it, where looks are quick.
 */
const MIN_MS = 100
/** First guess: as long as no sync was seen, it may be a cold start. */
const FIRST_MS = 500
/**
 * Functions that are so slow have other troubles; a change must not wait longer for a look that wrote
 * nothing.
 */
const MAX_MS = 10_000
/**
 * Factor of the average. If functions or API server are busy, a second message for the same key would only
 * stand in the queue as well.
 */
const TIMES_AVERAGE = 3
/** So many times in a row a key may be sent and nothing be written, before its rest doubles each time. */
const UNANSWERED = 4
/**
 * Up to so long, in milliseconds: what is refused, held or left alone must not take the time that others
 * need, and once it is mended it waits for no longer than this.
 */
const UNANSWERED_MS = 2_000
/** Milliseconds after which a write does not belong to that sync: it may have found nothing to write. */
const FORGET_MS = 60_000
/** The share of the newest in the average. */
const NEWEST = 0.1

/** @param now milliseconds of a clock that never goes back */
export function createSyncLatency(now: () => number = () => performance.now()): SyncLatency {
  // In the order of their last sending.
  const unwritten = new Map<KeyText, { readonly sentAt: number; readonly times: number }>()
  let averageMs: number | undefined

  function forget(): void {
    for (const [key, { sentAt }] of unwritten) {
      if (now() - sentAt <= FORGET_MS) return
      unwritten.delete(key)
    }
  }

  function usualMs(): number {
    if (averageMs === undefined) return FIRST_MS
    return Math.min(MAX_MS, Math.max(MIN_MS, averageMs * TIMES_AVERAGE))
  }

  return {
    sent(key) {
      forget()
      const text = keyText(key)
      const times = (unwritten.get(text)?.times ?? 0) + 1
      unwritten.delete(text)
      unwritten.set(text, { sentAt: now(), times })
    },
    written(key) {
      forget()
      const text = keyText(key)
      const known = unwritten.get(text)
      if (known === undefined) return
      unwritten.delete(text)
      const syncMs = now() - known.sentAt
      averageMs = averageMs === undefined ? syncMs : averageMs + (syncMs - averageMs) * NEWEST
    },
    maxMs(key) {
      const ms = usualMs()
      const times = unwritten.get(keyText(key))?.times ?? 0
      return Math.max(ms, Math.min(UNANSWERED_MS, ms * 2 ** (times - UNANSWERED)))
    },
  }
}
