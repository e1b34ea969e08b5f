import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DeadlineError, expireAfter, waitUntilAborted } from './deadline.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('an expiry', () => {
  it('aborts when its time is over, and not before', () => {
    const { signal } = expireAfter(500)
    vi.advanceTimersByTime(499)
    expect(signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toBeInstanceOf(DeadlineError)
  })

  it.each([0, -1])('of %i ms has aborted from the start, and can be disposed of', (ms) => {
    using expiry = expireAfter(ms)
    expect(expiry.signal.aborted).toBe(true)
    expect(expiry.signal.reason).toBeInstanceOf(DeadlineError)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('never aborts once it is disposed of', () => {
    const expiry = expireAfter(500)
    expiry[Symbol.dispose]()
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(1000)
    expect(expiry.signal.aborted).toBe(false)
  })
})

describe('waiting until a signal aborts', () => {
  const never = new Promise<never>(() => {})

  /** Reports whether it has ended after what can happen at once. */
  async function hasEnded(waiting: Promise<void>): Promise<boolean> {
    let ended = false
    void waiting.then(() => {
      ended = true
    })
    await vi.advanceTimersByTimeAsync(0)
    return ended
  }

  it('ends with the promise, fails as it does, and listens no longer then', async () => {
    const { signal } = new AbortController()
    await waitUntilAborted(Promise.resolve(), signal)
    await expect(waitUntilAborted(Promise.reject(new Error('500')), signal)).rejects.toThrow('500')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('ends with the signal, and not before', async () => {
    const controller = new AbortController()
    const waiting = waitUntilAborted(never, controller.signal)
    expect(await hasEnded(waiting)).toBe(false)
    controller.abort()
    expect(await hasEnded(waiting)).toBe(true)
  })

  it('does not begin where the signal has aborted before', async () => {
    expect(await hasEnded(waitUntilAborted(never, AbortSignal.abort()))).toBe(true)
  })
})
