import { expect, it } from 'vitest'
import { percentile } from './index.ts'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

it.each([
  [100, 0.5, 50],
  [100, 0.99, 99],
  [101, 0.99, 100],
  [100, 1, 100],
  [100, 0, 1],
  [1, 0.99, 1],
])('of the numbers up to %i the nearest rank of %f is %i', (count, share, wanted) => {
  expect(percentile(upTo(count), share)).toBe(wanted)
})

it('is undefined without numbers', () => {
  expect(percentile([], 0.5)).toBeUndefined()
})
