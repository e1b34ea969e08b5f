/** A timer that was set. */
export type Timer = unknown

/** Calls back after a time: that of the machine, or one that is simulated. */
export interface Timers {
  set(callback: () => void, ms: number): Timer
  clear(timer: Timer | undefined): void
}

export const systemTimers: Timers = {
  set: (callback, ms) => setTimeout(callback, ms),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
}
