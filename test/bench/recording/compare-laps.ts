import { createRandom } from '../../support/random.ts'
import { median, percentile } from '../race/latencies.ts'

/** Figures of a lap. */
export interface Lap {
  readonly isRecorded: boolean
  /** Milliseconds from a change until it was published, of changes that bring or save traffic. */
  readonly urgent: number[]
  /** The same of changes that may wait (deferrable). */
  readonly deferrable: number[]
  readonly cpuSeconds: number
}

/** A figure without and with a recording. */
export interface ComparedFigure {
  readonly name: string
  readonly off: number
  readonly on: number
  /** Share by which it is more with a recording. */
  readonly more: number
  /** The shares between which 95 % of comparisons of resampled pairs are. */
  readonly between: readonly [number, number]
  /** Whether a goal bounds `more`. */
  readonly isBounded: boolean
}

interface Pair {
  readonly off: Lap
  readonly on: Lap
}

const RESAMPLES = 400

type Kind = 'urgent' | 'deferrable'

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Returns the median of the laps. */
const ofLaps = (share: number, kind: Kind) => (laps: readonly Lap[]) =>
  median(laps.map((lap) => percentile(lap[kind], share)))

const together = (share: number, kind: Kind) => (laps: readonly Lap[]) =>
  percentile(laps.flatMap((lap) => lap[kind]).sort(ascending), share)

const ascending = (one: number, other: number): number => one - other

const FIGURES = [
  { name: 'delay p50 of a lap, ms', of: ofLaps(0.5, 'urgent'), isBounded: false },
  { name: 'delay p90 of a lap, ms', of: ofLaps(0.9, 'urgent'), isBounded: false },
  { name: 'delay p99 of a lap, ms', of: ofLaps(0.99, 'urgent'), isBounded: true },
  { name: 'delay p99 of all laps together, ms', of: together(0.99, 'urgent'), isBounded: false },
  { name: 'delay p99 of deferrable changes of a lap, ms', of: ofLaps(0.99, 'deferrable'), isBounded: false },
  {
    name: 'CPU of a lap, s',
    of: (laps: readonly Lap[]) => mean(laps.map(({ cpuSeconds }) => cpuSeconds)),
    isBounded: true,
  },
] as const

/**
 * Compares laps with a recording and laps without: medians of their delays, and means of their processor
 * time. Now and then the API server's garbage collection takes all processors for a second: of all delays
 * together, those of a few laps make up the p99. Tells how much of a difference is chance, by comparing pairs
 * of neighbours, drawn with replacement, again and again.
 */
export function compareLaps(laps: readonly Lap[]): ComparedFigure[] {
  const sorted = laps.map(({ urgent, deferrable, ...lap }) => ({
    ...lap,
    urgent: urgent.toSorted(ascending),
    deferrable: deferrable.toSorted(ascending),
  }))
  const off = sorted.filter(({ isRecorded }) => !isRecorded)
  const on = sorted.filter(({ isRecorded }) => isRecorded)
  const pairs = off.flatMap((lap, index): Pair[] => {
    const other = on[index]
    return other === undefined ? [] : [{ off: lap, on: other }]
  })
  const random = createRandom(1)
  const draws = Array.from({ length: RESAMPLES }, () => pairs.flatMap(() => random.pick(pairs) ?? []))
  return FIGURES.map(({ name, of, isBounded }) => {
    const moreOf = (drawn: readonly Pair[]): number =>
      of(drawn.map((pair) => pair.on)) / of(drawn.map((pair) => pair.off)) - 1
    const shares = draws.map(moreOf).sort(ascending)
    const between = [percentile(shares, 0.025), percentile(shares, 0.975)] as const
    return { name, off: of(off), on: of(on), more: moreOf(pairs), between, isBounded }
  })
}
