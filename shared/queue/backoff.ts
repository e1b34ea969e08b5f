export interface Backoff {
  /** Ceiling of the first delay, in milliseconds; it doubles with every attempt. */
  readonly baseMs: number
  /** Ceiling of every delay, in milliseconds. */
  readonly capMs: number
}

/** Quick enough to ride out a throttled second, slow enough not to hammer a queue that is down. */
export const DEFAULT_BACKOFF: Backoff = { baseMs: 100, capMs: 20_000 }

/**
 * Exponential back-off with full jitter: a random delay in milliseconds below `min(capMs, baseMs * 2^attempt)`.
 * @param attempt how many attempts have failed before this delay, from 0
 */
export function backoffDelay(attempt: number, { baseMs, capMs }: Backoff = DEFAULT_BACKOFF): number {
  return Math.random() * Math.min(capMs, baseMs * 2 ** attempt)
}
