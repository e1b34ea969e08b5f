/** Length in milliseconds of a lap of the clock. */
export const LAP_MS = 10_000

/** Milliseconds since the epoch at which the next lap without a recording begins. */
export const nextPair = (time: number): number => (Math.floor(time / (2 * LAP_MS)) + 1) * 2 * LAP_MS

/** Reports whether a lap with a recording is under way: every second one, of all processes at once. */
export const isRecording = (time: number): boolean => Math.floor(time / LAP_MS) % 2 === 1
