import { describe, expect, it } from 'vitest'
import { median, percentile, summarize } from './latencies.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('percentiles', () => {
  it('are values that were measured, by the nearest rank', () => {
    expect(percentile(upTo(100), 0.5)).toBe(50)
    expect(percentile(upTo(100), 0.99)).toBe(99)
    expect(percentile(upTo(101), 0.99)).toBe(100)
    expect(percentile(upTo(100), 1)).toBe(100)
  })

  it('of one value are that value, and of none are no number', () => {
    expect(summarize([7])).toEqual({ count: 1, p50: 7, p99: 7, max: 7 })
    expect(summarize([])).toEqual({ count: 0, p50: Number.NaN, p99: Number.NaN, max: Number.NaN })
  })

  it('do not depend on the order of the values, and sort them as numbers', () => {
    expect(summarize([100, 9, 20])).toEqual({ count: 3, p50: 20, p99: 100, max: 100 })
    expect(median([100, 9, 20])).toBe(20)
  })
})
