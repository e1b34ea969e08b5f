import { describe, expect, it } from 'vitest'
import { parseCpu } from './zone-cpu.ts'

describe('parseCpu', () => {
  it.each([
    ['4', 4000],
    ['3920m', 3920],
    ['0.5', 500],
    ['.5', 500],
    ['2k', 2_000_000],
    ['1Ki', 1_024_000],
    ['1e1', 10_000],
    ['1500000u', 1500],
    [4, 4000],
  ])('reads %j as %d thousandths of a core', (quantity, milli) => {
    expect(parseCpu(quantity)).toBeCloseTo(milli)
  })

  it.each([undefined, null, '', '0', 'four', '-1', '1x', {}])('takes %j for no CPU', (quantity) => {
    expect(parseCpu(quantity)).toBe(0)
  })
})

it('reads what is no quantity in a time that grows with its length, whatever a Node says', () => {
  const before = process.cpuUsage()
  expect(parseCpu(`${'8'.repeat(100_000)}!`)).toBe(0)
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500)
})
