import { describe, expect, it } from 'vitest'
import {
  hasFaded,
  parseRepairs,
  quietTime,
  quietTimeLeft,
  type Repairs,
  repaired,
  repairsText,
} from './repairs.ts'
import { NOW } from './slices.fixtures.ts'

/** Repairs one after the other, each as soon as it may be. */
function repairsInARow(times: number): Repairs[] {
  const made: Repairs[] = []
  for (let now = NOW; made.length < times; ) {
    const last = made.at(-1)
    now += last === undefined ? 0 : quietTimeLeft(last, now)
    made.push(repaired(last, now))
  }
  return made
}

describe('repairs of a slice', () => {
  it('are made at once five times, and then at intervals that double up to ten minutes', () => {
    const seconds = repairsInARow(11).map((repairs) => quietTime(repairs) / 1000)
    expect(seconds).toEqual([0, 0, 0, 0, 30, 60, 120, 240, 480, 600, 600])
  })

  it('go on being counted as one row as long as each follows when the quiet time is over', () => {
    expect(repairsInARow(30).map(({ count }) => count)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1))
  })

  it('are counted anew after ten minutes of peace', () => {
    const last = { count: 3, last: NOW }
    expect(repaired(last, NOW + 599_000).count).toBe(4)
    expect(repaired(last, NOW + 600_000).count).toBe(1)
    expect(hasFaded(last, NOW + 599_000)).toBe(false)
    expect(hasFaded(last, NOW + 600_000)).toBe(true)
  })

  it('are told by an annotation', () => {
    const repairs = { count: 7, last: NOW }
    expect(repairsText(repairs)).toBe('7 2026-01-01T12:00:00.000Z')
    expect(parseRepairs(repairsText(repairs))).toEqual(repairs)
  })

  it.each([
    undefined,
    '',
    '3',
    '3 soon',
    '-1 2026-01-01T12:00:00Z',
    '9e9 2026-01-01T12:00:00Z',
    '0 2026-01-01T12:00:00Z',
  ])('are none in an annotation like %j', (text) => {
    expect(parseRepairs(text)).toBeUndefined()
  })
})
