import { expect, it } from 'vitest'
import { toNumber } from './convert.ts'

it('reads a text of digits that is no number in a time that grows with its length', () => {
  const before = process.cpuUsage()
  expect(() => toNumber('add', `${'8'.repeat(100_000)}!`)).toThrow()
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500)
  expect(['7', '-7.', '.5', '1.5e-3'].map((text) => toNumber('add', text))).toEqual([7, -7, 0.5, 0.0015])
})
