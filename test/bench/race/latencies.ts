import { percentile as nearestRank } from '../../../shared/values/index.ts'

/** Milliseconds. */
export interface LatencySummary {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** @param share from 0 to 1; NaN of none */
export const percentile = (sorted: readonly number[], share: number): number =>
  nearestRank(sorted, share) ?? Number.NaN

export const median = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  )

export function summarize(milliseconds: readonly number[]): LatencySummary {
  const sorted = milliseconds.toSorted((a, b) => a - b)
  return {
    count: sorted.length,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    max: percentile(sorted, 1),
  }
}
