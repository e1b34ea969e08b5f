/** Durations in bounded memory; percentiles have an error of at most 5 %. */
export interface Samples {
  add(ms: number): void
  /**
   * @param share 0.5 is the median
   * @returns 0 without samples
   */
  percentile(share: number): number
  readonly count: number
}

/** Ratio of the upper bounds of adjacent buckets. */
const RATIO = 1.05
const SHORTEST_MS = 0.1

export function createSamples(): Samples {
  const buckets: number[] = []
  let count = 0
  return {
    add(ms) {
      const bucket = ms <= SHORTEST_MS ? 0 : Math.ceil(Math.log(ms / SHORTEST_MS) / Math.log(RATIO))
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
      count++
    },
    percentile(share) {
      let left = Math.ceil(share * count)
      for (const [bucket, size = 0] of buckets.entries()) {
        left -= size
        if (left <= 0) return count === 0 ? 0 : SHORTEST_MS * RATIO ** bucket
      }
      return 0
    },
    get count() {
      return count
    },
  }
}
