/**
 * Reports whether a time was less than this long ago. One as far ahead counts as well, and none further: the
 * clock may have been set back since.
 */
export const isRecent = (at: number, ms: number, now = Date.now()): boolean => Math.abs(now - at) < ms
