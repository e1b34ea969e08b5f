import { createRandom } from '../../support/random.ts'
import { median, percentile } from '../race/latencies.ts'

/** Figures of a lap. */
export interface Lap {
  readonly isRecorded: boolean
  /** Milliseconds from a change until it was published, of changes that bring or save traffic. */
  readonly urgent: number[]
  /** The same of changes that are gathered for a while. */
  readonly patient: number[]
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
  /** Whether a goal bounds it. */
  readonly isBounded: boolean
}

export interface CostComparison {
  readonly figures: readonly ComparedFigure[]
}

interface Pair {
  readonly off: Lap
  readonly on: Lap
}

const RESAMPLES = 400

const delay =
  (share: number, of: 'urgent' | 'patient') =>
  (lap: Lap): number =>
    percentile(
      lap[of].toSorted((a, b) => a - b),
      share,
    )

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const FIGURES = [
  { name: 'delay p50, ms', of: delay(0.5, 'urgent'), middle: median, isBounded: false },
  { name: 'delay p90, ms', of: delay(0.9, 'urgent'), middle: median, isBounded: false },
  { name: 'delay p99, ms', of: delay(0.99, 'urgent'), middle: median, isBounded: true },
  { name: 'delay p99 of gathered changes, ms', of: delay(0.99, 'patient'), middle: median, isBounded: false },
  { name: 'CPU, s', of: ({ cpuSeconds }: Lap) => cpuSeconds, middle: mean, isBounded: true },
] as const

/**
 * Compares laps with a recording and laps without: medians of their delays, and means of their processor
 * time. Now and then the API server's garbage collection takes all processors for a second: of all delays
 * together, those of one or two laps would make up the p99. Tells how much of a difference is chance, by
 * comparing pairs of neighbours, drawn with replacement, again and again.
 */
export function compareLaps(laps: readonly Lap[]): CostComparison {
  const off = laps.filter(({ isRecorded }) => !isRecorded)
  const on = laps.filter(({ isRecorded }) => isRecorded)
  const pairs = off.flatMap((lap, index): Pair[] => {
    const other = on[index]
    return other === undefined ? [] : [{ off: lap, on: other }]
  })
  const random = createRandom(1)
  const draws = Array.from({ length: RESAMPLES }, () => pairs.map(() => random.below(pairs.length)))
  return {
    figures: FIGURES.map(({ name, of, middle, isBounded }) => {
      const measured = pairs.map((pair) => ({ off: of(pair.off), on: of(pair.on) }))
      const figureOf = (drawn: typeof measured) => ({
        off: middle(drawn.map((pair) => pair.off)),
        on: middle(drawn.map((pair) => pair.on)),
      })
      const moreOf = (drawn: typeof measured): number => figureOf(drawn).on / figureOf(drawn).off - 1
      const shares = draws
        .map((draw) => moreOf(draw.flatMap((index) => measured[index] ?? [])))
        .sort((a, b) => a - b)
      const between = [percentile(shares, 0.025), percentile(shares, 0.975)] as const
      return { name, ...figureOf(measured), more: moreOf(measured), between, isBounded }
    }),
  }
}
