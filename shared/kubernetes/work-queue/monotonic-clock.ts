export type Timer = unknown

/** A clock with timers, of this process alone: that of the machine, or one that is simulated. */
export interface MonotonicClock {
  /** Milliseconds since an unknown time; they never go back. */
  now(): number
  set(callback: () => void, ms: number): Timer
  clear(timer: Timer | undefined): void
}

export const monotonicClock: MonotonicClock = {
  now: () => performance.now(),
  // A timer alone does not keep the process alive.
  set: (callback, ms) => setTimeout(callback, ms).unref(),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
}
