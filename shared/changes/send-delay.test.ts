import { describe, expect, it } from 'vitest'
import { autoDelay, delayBySize, liveDelay } from './index.ts'

describe('a rest that grows with what a message costs', () => {
  it('is none without a window', () => {
    expect(delayBySize(0, 1000, 500)).toEqual({ minMs: 0, maxMs: 0 })
  })

  it.each([
    [0, 0, 0],
    [20, 18, 100],
    [100, 67, 300],
    [500, 143, 500],
    [10_000, 196, 594],
  ])(
    'of %i endpoints is at least %i of 200 ms, and %i ms for patient changes',
    (endpoints, minMs, deferrableMs) => {
      const rest = delayBySize(200, endpoints, 500)
      expect(Math.round(rest.minMs)).toBe(minMs)
      expect(rest.maxMs).toBe(500)
      expect(Math.round(rest.deferrableMs ?? 0)).toBe(deferrableMs)
    },
  )

  it('never ends after the window where that is long', () => {
    const { minMs, maxMs, deferrableMs } = delayBySize(5000, 1800, 500)
    expect([minMs, maxMs]).toEqual([4500, 4500])
    expect(Math.round(deferrableMs ?? 0)).toBe(4737)
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
    (endpoints, deferrableMs) => {
      const rest = autoDelay(endpoints, 500)
      expect(Math.round(rest.deferrableMs ?? Number.NaN)).toBe(deferrableMs)
      expect(rest).toMatchObject({ minMs: 0, maxMs: 500 })
    },
  )
})

describe('how long a key of the live lane rests', () => {
  it('is as long as its look by itself, and what can wait for so much longer as its Service is large', () => {
    expect(liveDelay('auto', 0, 150)).toEqual({ minMs: 0, maxMs: 150, deferrableMs: 0 })
    expect(liveDelay('auto', 100, 150)).toEqual({ minMs: 0, maxMs: 150, deferrableMs: 500 })
  })

  it('is a share of the window that was set in seconds, and at least as long as its look', () => {
    expect(liveDelay(1, 200, 150)).toEqual({ minMs: 500, maxMs: 500, deferrableMs: 2000 * (200 / 300) })
    expect(liveDelay(1, 200, 700)).toMatchObject({ minMs: 500, maxMs: 700 })
    expect(liveDelay(0.5, 100, 0)).toMatchObject({ deferrableMs: 750 })
    expect(liveDelay(10, 100, 0)).toMatchObject({ deferrableMs: 5000 })
  })

  it('is none without a window', () => {
    expect(liveDelay(0, 5_000, 700)).toEqual({ minMs: 0, maxMs: 0 })
  })
})
