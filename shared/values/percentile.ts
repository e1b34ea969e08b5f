/** Returns the smallest of the sorted numbers that a share does not exceed; undefined without numbers. */
export const percentile = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
