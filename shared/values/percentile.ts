/**
 * Returns the smallest of the sorted numbers that a share of them does not exceed: the nearest rank, so one
 * of the numbers. Undefined if there are none.
 */
export const percentile = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
