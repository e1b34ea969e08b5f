import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { backoffDelay, sleepUnlessAborted, untilAborted } from './backoff.ts'

describe('backoffDelay', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('doubles its ceiling with every attempt up to the cap', () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const ceilings = [0, 1, 2, 3, 4, 5000].map((attempt) =>
      backoffDelay(attempt, { baseMs: 100, capMs: 1000 }),
    )
    expect(ceilings).toEqual([100, 200, 400, 800, 1000, 1000])
  })

  it('spreads over the whole range below the ceiling', () => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.25)
    expect(backoffDelay(1, { baseMs: 100, capMs: 1000 })).toBe(0)
    expect(backoffDelay(1, { baseMs: 100, capMs: 1000 })).toBe(50)
  })
})

describe('sleepUnlessAborted', () => {
  it('says whether the time was over or the signal aborted first', async () => {
    expect(await sleepUnlessAborted(0)).toBe(true)
    const abort = new AbortController()
    const sleeping = sleepUnlessAborted(1e9, abort.signal)
    abort.abort()
    expect(await sleeping).toBe(false)
    expect(await sleepUnlessAborted(1e9, abort.signal)).toBe(false)
  })

  it('leaves neither timer nor listener behind, whichever came first', async () => {
    vi.useFakeTimers()
    const outliving = new AbortController()
    for (let time = 0; time < 20; time++) {
      const sleeping = sleepUnlessAborted(10, outliving.signal)
      await vi.advanceTimersByTimeAsync(10)
      expect(await sleeping).toBe(true)
    }
    expect(getEventListeners(outliving.signal, 'abort')).toEqual([])
    const aborted = sleepUnlessAborted(1e9, outliving.signal)
    outliving.abort()
    await aborted
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })
})

describe('untilAborted', () => {
  it('resolves when the signal aborts, and at once where it had', async () => {
    const abort = new AbortController()
    let isOver = false
    const waiting = untilAborted(abort.signal).then(() => {
      isOver = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isOver).toBe(false)
    abort.abort()
    await waiting
    await untilAborted(abort.signal)
  })
})
