import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createAuditSlots, SLOT_SECONDS } from '../../functions/audit/index.ts'
import { startAuditTimer } from './local.ts'

const SLOT_MS = SLOT_SECONDS * 1000
const slots = createAuditSlots(4 * SLOT_SECONDS)

describe('the timer of an audit', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 100 * SLOT_MS + 1_000 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  function startTimer(): number[] {
    const reported: number[] = []
    onTestFinished(startAuditTimer({ slots, onSlot: (slot) => reported.push(slot) }))
    return reported
  }

  it('reports each slot as it begins, again and again', () => {
    const reported = startTimer()
    vi.advanceTimersByTime(SLOT_MS - 1_001)
    expect(reported).toEqual([])
    vi.advanceTimersByTime(1)
    expect(reported).toEqual([1])
    vi.advanceTimersByTime(4 * SLOT_MS)
    expect(reported).toEqual([1, 2, 3, 0, 1])
  })

  it('makes up for the slots that the machine slept through, each once', () => {
    const reported = startTimer()
    vi.setSystemTime(103 * SLOT_MS)
    vi.advanceTimersByTime(SLOT_MS)
    expect(reported.slice(0, 4)).toEqual([1, 2, 3, 0])
    vi.setSystemTime(1_000 * SLOT_MS)
    reported.length = 0
    vi.advanceTimersByTime(SLOT_MS)
    expect(reported.slice(0, 4).toSorted()).toEqual([0, 1, 2, 3])
  })

  it.each([50 * SLOT_MS, -1_000_000 * SLOT_MS])('goes on where the clock goes back to %s', (time) => {
    const reported = startTimer()
    vi.setSystemTime(time)
    vi.advanceTimersByTime(SLOT_MS - 1_000)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1_000 + SLOT_MS)
    const [first = -1, second] = reported
    expect(reported).toHaveLength(2)
    expect(second).toBe((first + 1) % 4)
  })

  it('reports nothing once it is stopped', () => {
    const reported: number[] = []
    startAuditTimer({ slots, onSlot: (slot) => reported.push(slot) })()
    vi.advanceTimersByTime(4 * SLOT_MS)
    expect(reported).toEqual([])
  })
})
