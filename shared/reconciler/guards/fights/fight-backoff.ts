/** Number of times in a row that something of ours was repaired, and the time of the last repair. */
export interface Repairs {
  readonly count: number
  /** Milliseconds since the epoch. */
  readonly last: number
}

/** Up to this number of repairs in a row there is no fight yet. */
const TOLERATED = 5
/** The first time that is left to the other one; it doubles with every further repair. */
const FIRST_QUIET_MS = 30_000
const MAX_QUIET_MS = 10 * 60_000
/** Missing slices are made again after this time at most: each second costs all traffic of the Service. */
const MAX_ABSENCE_MS = FIRST_QUIET_MS
/** Repairs are counted from 0 again after this time without one, beyond the quiet time itself. */
export const FADING_MS = 10 * 60_000

/**
 * Returns for how long nothing is repaired after the last repair, in milliseconds.
 * @param tolerated this many repairs are followed by no quiet time; default 5
 */
export const quietTime = (count: number, tolerated = TOLERATED): number =>
  count < tolerated ? 0 : Math.min(MAX_QUIET_MS, FIRST_QUIET_MS * 2 ** (count - tolerated))

/** Returns for how long slices that others delete are not made again, in milliseconds from now. */
export const absenceLeft = ({ count, last }: Repairs, now: number): number =>
  Math.max(0, last + Math.min(MAX_ABSENCE_MS, quietTime(count)) - now)

export const repaired = (before: Repairs | undefined, now: number): Repairs => ({
  count: before !== undefined && !hasFaded(before, now) ? before.count + 1 : 1,
  last: now,
})

/** A repair of the future was before the clock was set back. */
export const hasFaded = ({ count, last }: Repairs, now: number): boolean =>
  last > now || now - last >= quietTime(count) + FADING_MS
