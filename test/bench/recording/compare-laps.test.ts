import { describe, expect, it } from 'vitest'
import { compareLaps, type Lap } from './compare-laps.ts'

const lap = (isRecorded: boolean, milliseconds: number, cpuSeconds: number): Lap => ({
  isRecorded,
  urgent: Array.from({ length: 100 }, (_, index) => milliseconds + index / 100),
  deferrable: [2 * milliseconds],
  cpuSeconds,
})

const figure = (laps: readonly Lap[], name: string) => compareLaps(laps).find((each) => each.name === name)

describe('compareLaps', () => {
  it('finds what every pair has in common, however different the pairs are', () => {
    const laps = [1, 2, 4, 8, 16].flatMap((slow) => [lap(false, 0, slow), lap(true, 0, slow * 1.5)])
    const cpu = figure(laps, 'CPU of a lap, s')
    expect(cpu).toMatchObject({ off: 6.2, on: 9.3, isBounded: true })
    for (const share of [cpu?.more, ...(cpu?.between ?? [])]) expect(share).toBeCloseTo(0.5)
  })

  it('takes no single lap of long delays for the cost of a recording, and says how much is chance', () => {
    const delays = [10, 10, 11, 11, 10, 900, 12, 12, 13, 13]
    const p99 = figure(
      delays.map((milliseconds, index) => lap(index % 2 === 1, milliseconds, 1)),
      'delay p99 of a lap, ms',
    )
    expect(p99?.off).toBeCloseTo(11.98)
    expect(p99?.on).toBeCloseTo(12.98)
    const [least = Number.NaN, most = Number.NaN] = p99?.between ?? []
    expect(least).toBeLessThanOrEqual(p99?.more ?? Number.NaN)
    expect(most).toBeGreaterThan(0.5)
  })
})
