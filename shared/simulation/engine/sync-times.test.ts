import { describe, expect, it } from 'vitest'
import { createSyncTimes } from './sync-times.ts'

const HINTED = { writes: 1, isWhole: false, hasWaited: false }
const WHOLE = { writes: 2, isWhole: true, hasWaited: false }

function setUp(options: Partial<Parameters<typeof createSyncTimes>[0]> = {}) {
  const times = createSyncTimes({ fraction: () => 0, ...options })
  times.add({ step: 'sending', ms: 3 })
  times.add({ step: 'single', ms: 10 })
  times.add({ step: 'wholeSeveral', ms: 100, spreadMs: 50 })
  return times
}

describe('the duration of syncs', () => {
  it('is separate for hinted and full syncs, from the sending of the message', () => {
    const { draw } = setUp()
    expect(draw(HINTED)).toEqual({ firstMs: 13, lastMs: 13 })
    expect(draw(WHOLE)).toEqual({ firstMs: 103, lastMs: 153 })
  })

  it('falls back to the most similar syncs', () => {
    const { draw } = setUp()
    expect(draw({ ...WHOLE, writes: 1 })).toEqual({ firstMs: 103, lastMs: 103 })
    expect(draw({ ...HINTED, writes: 2 })).toEqual({ firstMs: 13, lastMs: 13 })
  })

  it('has no sending time if the message waited for the previous sync', () => {
    expect(setUp().draw({ ...HINTED, hasWaited: true })).toEqual({ firstMs: 10, lastMs: 10 })
  })

  it('is as requested, regardless of the workload', () => {
    const { draw, drawSeeing } = setUp({ syncMs: [20, 40] })
    expect(draw(WHOLE)).toEqual({ firstMs: 20, lastMs: 20 })
    expect(drawSeeing()).toBe(0)
  })
})
