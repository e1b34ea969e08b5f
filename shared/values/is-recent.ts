/** Reports whether a time is within this long of now, in either direction, as a clock may be set back. */
export const isRecent = (at: number, ms: number, now = Date.now()): boolean => Math.abs(now - at) < ms
