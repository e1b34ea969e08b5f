import { setTimeout as sleep } from 'node:timers/promises'

/** Time as a reconciler knows it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Waits for this time, in milliseconds; throws the signal's reason, or an AbortError, when it aborts
   * before.
   */
  pause(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  pause: (ms, signal) => sleep(ms, undefined, { signal }),
}
