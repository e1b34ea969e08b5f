import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bar } from './narrator.ts'

describe('a bar', () => {
  it.each([
    [40, 40, 10, '██████████'],
    [20, 40, 10, '█████'],
    [1, 16, 1, '▏'],
    [1, 2, 1, '▌'],
    [9, 16, 2, '█▏'],
    [1, 1_000_000, 10, '▏'],
    [0, 40, 10, ''],
    [5, 0, 10, ''],
  ])('of %d where the largest is %d is "%s" wide at most', (value, largest, width, text) =>
    expect(bar(value, largest, width)).toBe(text),
  )

  it('is never wider than it may be, and never shorter than that of less', () => {
    const count = fc.nat(10_000)
    fc.assert(
      fc.property(count, count, fc.integer({ min: 1, max: 200 }), (one, other, width) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)]
        const length = (value: number): number => bar(value, more, width).length
        expect(length(more)).toBeLessThanOrEqual(width)
        expect(length(less)).toBeLessThanOrEqual(length(more))
      }),
    )
  })
})
