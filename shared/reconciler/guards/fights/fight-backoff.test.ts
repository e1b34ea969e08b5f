import { describe, expect, it } from 'vitest'
import { NOW } from '../slices.fixtures.ts'
import { absenceLeft, hasFaded, repaired } from './fight-backoff.ts'

describe('repairs', () => {
  it('are counted again after ten minutes of peace', () => {
    const last = { count: 3, last: NOW }
    expect(repaired(last, NOW + 599_000).count).toBe(4)
    expect(repaired(last, NOW + 600_000).count).toBe(1)
    expect(hasFaded(last, NOW + 599_000)).toBe(false)
    expect(hasFaded(last, NOW + 600_000)).toBe(true)
  })

  it('of slices that are missing wait 30 s at most, from the fifth on', () => {
    const left = [4, 5, 50].map((count) => absenceLeft({ count, last: NOW }, NOW + 10_000))
    expect(left).toEqual([0, 20_000, 20_000])
  })
})
