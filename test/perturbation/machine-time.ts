const TICK_MS = 20
/** A tick that comes later had to wait for a processor. */
const LATE_MS = 2 * TICK_MS

/**
 * Milliseconds as a clock counts them, less those that its process had to wait for a processor: Sliceflow and
 * its server, on the same crowded machine, had no more than these either.
 */
export interface MachineTime {
  now(): number
  stop(): void
}

export function startMachineTime(): MachineTime {
  let late = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const passed = now - last
    if (passed > LATE_MS) late += passed - TICK_MS
    last = now
  }, TICK_MS)
  return { now: () => performance.now() - late, stop: () => clearInterval(timer) }
}
