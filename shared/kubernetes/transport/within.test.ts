import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { within } from '../index.ts'

describe('a promise that has a time limit', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const late = (): Error => new Error('too late')
  const never = new Promise<never>(() => {})

  it('comes to what it is, if that is in time', async () => {
    expect(await within(Promise.resolve(7), { ms: 100, late })).toBe(7)
    await expect(within(Promise.reject(new Error('no')), { ms: 100, late })).rejects.toThrow('no')
  })

  it('fails when its time is over, and not before', async () => {
    let outcome = 'open'
    within(never, { ms: 100, late }).catch(({ message }) => {
      outcome = message
    })
    await vi.advanceTimersByTimeAsync(99)
    expect(outcome).toBe('open')
    await vi.advanceTimersByTimeAsync(1)
    expect(outcome).toBe('too late')
  })

  it('fails by the reason of a signal that aborts, or that had aborted before', async () => {
    const abort = new AbortController()
    const waiting = within(never, { ms: 100, late, signal: abort.signal })
    abort.abort(new Error('given up'))
    await expect(waiting).rejects.toThrow('given up')
    await expect(within(never, { ms: 100, late, signal: abort.signal })).rejects.toThrow('given up')
  })

  it('leaves neither timer nor listener behind, whatever it came to', async () => {
    const { signal } = new AbortController()
    for (let time = 0; time < 5; time++) {
      await within(Promise.resolve(), { ms: 60_000, late, signal })
      await within(Promise.reject(new Error('no')), { ms: 60_000, late, signal }).catch(() => undefined)
      const overdue = within(never, { ms: 1, late, signal }).catch(() => undefined)
      await vi.advanceTimersByTimeAsync(1)
      await overdue
    }
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
