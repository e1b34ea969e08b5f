import { once } from 'node:events'

export interface Backoff {
  /** Ceiling of the first delay, in milliseconds; it doubles with every attempt. */
  readonly baseMs: number
  /** Ceiling of every delay, in milliseconds. */
  readonly capMs: number
}

/**
 * Computes an exponential back-off with full jitter: a random delay in milliseconds below `min(capMs, baseMs
 * * 2^attempt)`.
 * @param attempt how many attempts have failed before this delay, from 0
 */
export function backoffDelay(attempt: number, { baseMs, capMs }: Backoff): number {
  return Math.random() * Math.min(capMs, baseMs * 2 ** attempt)
}

/** Waits; false when the signal aborted before the time was over. */
export function sleepUnlessAborted(ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const onAbort = (): void => {
      clearTimeout(timer)
      resolve(false)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve(true)
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
