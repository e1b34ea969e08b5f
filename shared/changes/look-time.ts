import { type KeyText, keyText, type ServiceKey } from './key.ts'

/** Knows how long it takes from the sending of a key until its slices are seen written. */
export interface LookTime {
  sent(key: ServiceKey): void
  written(key: ServiceKey): void
  /** So long a key may rest for its look, in milliseconds: longer than nearly all looks take. */
  mostMs(): number
}

/** A look that had nothing to write is never seen: this is the end of waiting for it, where looks are quick. */
const LEAST_MS = 100
/** As long as no look was seen, it may be a cold start. */
const FIRST_MS = 500
/** Functions that are so slow have other troubles; a change must not wait longer for a look that wrote nothing. */
const MOST_MS = 10_000
/** Where functions or API server are busy, a second message for the same key would only stand in the queue as well. */
const TIMES_AVERAGE = 3
/** What is written so much later, in milliseconds, is not of that look: it may have found nothing to write. */
const FORGET_MS = 60_000
/** The share of the newest in the average. */
const NEWEST = 0.1

/** @param now milliseconds of a clock that never goes back */
export function createLookTime(now: () => number = () => performance.now()): LookTime {
  // In the order of their last sending.
  const sentAt = new Map<KeyText, number>()
  let averageMs: number | undefined

  function forget(): void {
    for (const [key, at] of sentAt) {
      if (now() - at <= FORGET_MS) return
      sentAt.delete(key)
    }
  }

  return {
    sent(key) {
      forget()
      const text = keyText(key)
      sentAt.delete(text)
      sentAt.set(text, now())
    },
    written(key) {
      forget()
      const text = keyText(key)
      const since = sentAt.get(text)
      if (since === undefined) return
      sentAt.delete(text)
      const lookMs = now() - since
      averageMs = averageMs === undefined ? lookMs : averageMs + (lookMs - averageMs) * NEWEST
    },
    mostMs() {
      if (averageMs === undefined) return FIRST_MS
      return Math.min(MOST_MS, Math.max(LEAST_MS, averageMs * TIMES_AVERAGE))
    },
  }
}
