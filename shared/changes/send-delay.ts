/**
 * Times for which a key rests once it was handed out; what comes meanwhile is one change. In milliseconds.
 */
export interface Delay {
  /** It lasts so long in any case. */
  readonly minMs: number
  /** Then it lasts until the Service's slices were seen written, and no longer than this. */
  readonly maxMs: number
  /** Patient changes are handed out so far apart, and apart from others. Default: they are as any other. */
  readonly deferrableMs?: number
}

/** Returns a rest of the same time, whatever is written. */
export const fixedDelay = (windowMs: number): Delay => ({ minMs: windowMs, maxMs: windowMs })

/**
 * Number of endpoints with which patient changes rest half of what they may: with 20 a sixth, with 500 five
 * sixths. A message then stands for more changes where a change costs more: the slices that are written anew
 * and sent to every watcher are that large.
 */
const HALF_DELAY_ENDPOINTS = 100
/**
 * Number of endpoints with which urgent changes do so: with 20 an eleventh of the window, with 500 five
 * sevenths.
 */
const URGENT_HALF_DELAY_ENDPOINTS = 200

/**
 * Longest rest of patient changes. With 500 endpoints they are handed out 0.83 s apart. A rolling update of
 * these at 20 a second takes 1.4 writes a Pod by this, 1.7 by half of it, and 3 where nothing waits.
 */
const MAX_DEFERRABLE_MS = 1000
/**
 * So many windows patient changes may wait: they are about Pods anywhere in the Service, and each flush of
 * them writes nearly all of its slices. Beyond 2 s that is one window.
 */
const DEFERRABLE_WINDOWS = 3
const DEFERRABLE_WINDOWS_MS = 2000

const costlyMs = (maxMs: number, endpoints: number, halfAt = HALF_DELAY_ENDPOINTS): number =>
  (maxMs * endpoints) / (endpoints + halfAt)

/**
 * Grows with what a message costs, up to the window, and with what the last one still takes; patient changes
 * wait for longer.
 * @param windowMs 0: no rest
 * @param endpoints of the Service's slices
 * @param syncMs by when a look is over: a second one meanwhile would be in the way of the first
 */
export function delayBySize(windowMs: number, endpoints: number, syncMs: number): Delay {
  if (windowMs === 0) return fixedDelay(0)
  const minMs = costlyMs(windowMs, endpoints, URGENT_HALF_DELAY_ENDPOINTS)
  const deferrableWindowMs = Math.max(
    windowMs,
    Math.min(DEFERRABLE_WINDOWS * windowMs, DEFERRABLE_WINDOWS_MS),
  )
  return {
    minMs,
    maxMs: Math.max(minMs, syncMs),
    deferrableMs: costlyMs(deferrableWindowMs, endpoints),
  }
}

/**
 * Returns the rest for `auto`. Changes that bring traffic or save it wait for the last sync only; others wait
 * for longer, the more a message costs.
 * @param endpoints of the Service's slices
 * @param syncMs by when a look is over
 */
export const autoDelay = (endpoints: number, syncMs: number): Delay => ({
  minMs: 0,
  maxMs: syncMs,
  deferrableMs: costlyMs(MAX_DEFERRABLE_MS, endpoints),
})

/**
 * Returns how long a key of the live lane rests once it was sent.
 * @param window `auto`, or seconds: a window is set for few writes
 * @param endpoints of the Service's slices
 * @param syncMs by when a look is over
 */
export const liveDelay = (window: 'auto' | number, endpoints: number, syncMs: number): Delay =>
  window === 'auto' ? autoDelay(endpoints, syncMs) : delayBySize(window * 1000, endpoints, syncMs)
