export interface Backoff {
  /** The next delay in milliseconds: anything from 0 to base × 2^n, so that many clients do not come back at once. */
  next(): number
  reset(): void
}

/** Exponential back-off with full jitter. @param baseMs the first ceiling; @param capMs the highest */
export function createBackoff({ baseMs = 500, capMs = 30_000, random = Math.random } = {}): Backoff {
  let attempt = 0
  return {
    next: () => random() * Math.min(capMs, baseMs * 2 ** attempt++),
    reset: () => {
      attempt = 0
    },
  }
}
