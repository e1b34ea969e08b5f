/** Bounds how many keys of one cluster are sent in a second. */
export interface TokenBucket {
  /** Returns the number of keys that may be sent now. */
  left(): number
  sent(keys: number): void
  /** Returns when one more may be sent, in milliseconds from now. */
  waitMs(): number
}

/** So many seconds' worth may be sent at once after a quiet time. */
const BURST_SECONDS = 0.25

/**
 * Creates a token bucket. If more keys change than it lets go, those that wait merge their further changes:
 * an API server that is short of time gets fewer requests, not more.
 * @param perSecond keys
 * @param now milliseconds of a clock that never goes back
 */
export function createTokenBucket(
  perSecond: number,
  now: () => number = () => performance.now(),
): TokenBucket {
  const most = Math.max(1, perSecond * BURST_SECONDS)
  let tokens = most
  let countedAt = now()

  function count(): void {
    const at = now()
    tokens = Math.min(most, tokens + ((at - countedAt) * perSecond) / 1000)
    countedAt = at
  }

  return {
    left() {
      count()
      return Math.max(0, Math.floor(tokens))
    },
    sent(keys) {
      count()
      tokens -= keys
    },
    waitMs() {
      count()
      return Math.ceil((Math.max(0, 1 - tokens) * 1000) / perSecond)
    },
  }
}
