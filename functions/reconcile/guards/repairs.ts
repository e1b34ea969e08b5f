/** How often something of ours was mended in a row, and when last. */
export interface Repairs {
  readonly count: number
  /** Milliseconds since the epoch. */
  readonly last: number
}

/** So many repairs in a row are nobody's fight yet. */
const TOLERATED = 5
/** The first time that is left to the other one; it doubles with every further repair. */
const FIRST_QUIET_MS = 30_000
const LONGEST_QUIET_MS = 10 * 60_000
/** Slices that are missing are not left so for longer than that: each second costs all traffic of the Service. */
const LONGEST_ABSENCE_MS = FIRST_QUIET_MS
/** What was left alone for so long, beyond the quiet time itself, begins to count anew. */
const FADING_MS = 10 * 60_000

/** The time after the last repair in which there is no other one, in milliseconds. */
export const quietTime = ({ count }: Repairs): number =>
  count < TOLERATED ? 0 : Math.min(LONGEST_QUIET_MS, FIRST_QUIET_MS * 2 ** (count - TOLERATED))

/** How long it is to be left alone from now on, in milliseconds. */
export const quietTimeLeft = (repairs: Repairs, now: number): number =>
  Math.max(0, repairs.last + quietTime(repairs) - now)

/** The same for slices that others delete. */
export const absenceLeft = (losses: Repairs, now: number): number =>
  Math.max(0, losses.last + Math.min(LONGEST_ABSENCE_MS, quietTime(losses)) - now)

/** With one more repair. */
export function repaired(before: Repairs | undefined, now: number): Repairs {
  const isFresh = before !== undefined && now - before.last < quietTime(before) + FADING_MS
  return { count: isFresh ? before.count + 1 : 1, last: now }
}

export const hasFaded = (repairs: Repairs, now: number): boolean =>
  now - repairs.last >= quietTime(repairs) + FADING_MS

/** As in the annotation: `3 2026-01-01T00:00:00.000Z`. */
export const repairsText = ({ count, last }: Repairs): string => `${count} ${new Date(last).toISOString()}`

/** @returns `undefined` for what is no such text, as the annotation is anybody's to edit */
export function parseRepairs(text: string | undefined): Repairs | undefined {
  const [count = '', time = ''] = (text ?? '').split(' ')
  const last = Date.parse(time)
  return /^[1-9]\d{0,5}$/.test(count) && !Number.isNaN(last) ? { count: Number(count), last } : undefined
}
