import { describe, expect, it } from 'vitest'
import { autoRest, costlyRest, liveRest } from './index.ts'

describe('a rest that grows with what a message costs', () => {
  it('is none without a window', () => {
    expect(costlyRest(0, 1000, 500)).toEqual({ leastMs: 0, mostMs: 0 })
  })

  it.each([
    [0, 0, 0],
    [20, 18, 100],
    [100, 67, 300],
    [500, 143, 500],
    [10_000, 196, 594],
  ])(
    'of %i endpoints is at least %i of 200 ms, and %i ms for patient changes',
    (endpoints, leastMs, patientMs) => {
      const rest = costlyRest(200, endpoints, 500)
      expect(Math.round(rest.leastMs)).toBe(leastMs)
      expect(rest.mostMs).toBe(500)
      expect(Math.round(rest.patientMs ?? 0)).toBe(patientMs)
    },
  )

  it('never ends after the window where that is long', () => {
    const { leastMs, mostMs, patientMs } = costlyRest(5000, 1800, 500)
    expect([leastMs, mostMs]).toEqual([4500, 4500])
    expect(Math.round(patientMs ?? 0)).toBe(4737)
  })
})

describe('a rest that is longer for patient changes', () => {
  it.each([
    [0, 0],
    [20, 167],
    [100, 500],
    [500, 833],
  ])(
    'of %i endpoints is %i ms for these, and for others until the last look is over',
    (endpoints, patientMs) => {
      const rest = autoRest(endpoints, 500)
      expect(Math.round(rest.patientMs ?? Number.NaN)).toBe(patientMs)
      expect(rest).toMatchObject({ leastMs: 0, mostMs: 500 })
    },
  )
})

describe('how long a key of the live lane rests', () => {
  it('is as long as its look by itself, and what can wait for so much longer as its Service is large', () => {
    expect(liveRest('auto', 0, 150)).toEqual({ leastMs: 0, mostMs: 150, patientMs: 0 })
    expect(liveRest('auto', 100, 150)).toEqual({ leastMs: 0, mostMs: 150, patientMs: 500 })
  })

  it('is a share of the window that was set in seconds, and at least as long as its look', () => {
    expect(liveRest(1, 200, 150)).toEqual({ leastMs: 500, mostMs: 500, patientMs: 2000 * (200 / 300) })
    expect(liveRest(1, 200, 700)).toMatchObject({ leastMs: 500, mostMs: 700 })
    expect(liveRest(0.5, 100, 0)).toMatchObject({ patientMs: 750 })
    expect(liveRest(10, 100, 0)).toMatchObject({ patientMs: 5000 })
  })

  it('is none without a window', () => {
    expect(liveRest(0, 5_000, 700)).toEqual({ leastMs: 0, mostMs: 0 })
  })
})
