import { setTimeout as sleep } from 'node:timers/promises'

/** Time that other processes know, too: messages and slices have it. */
export interface WallClock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Waits for these milliseconds; throws the signal's reason or an AbortError if it aborts before. */
  pause(ms: number, signal: AbortSignal): Promise<void>
}

export const wallClock: WallClock = {
  now: () => Date.now(),
  pause: (ms, signal) => sleep(ms, undefined, { signal }),
}
