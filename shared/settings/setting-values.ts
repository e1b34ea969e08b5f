import type { Settings } from './settings.ts'

/** Stands for `auto` where one time is asked for. */
const AUTO_WINDOW_SECONDS = 0.5

/**
 * Returns the coalescing window of a change that is no more urgent than others, in seconds; 0.5 with `auto`.
 */
export const windowSeconds = ({ coalescingWindow }: Pick<Settings, 'coalescingWindow'>): number =>
  coalescingWindow === 'auto' ? AUTO_WINDOW_SECONDS : coalescingWindow

/** Returns the share of Services that are recorded, 0 to 1. */
export function recordedShare({ recording }: Pick<Settings, 'recording'>): number {
  if (typeof recording === 'number') return recording
  return recording === 'on' ? 1 : 0
}
