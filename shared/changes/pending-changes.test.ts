import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Change, createPendingChanges, type PendingChanges } from './index.ts'

const WINDOW_MS = 500

const change = (service: string, more: Partial<Change> = {}): Change => ({
  cluster: 'a',
  namespace: 'shop',
  service,
  ...more,
})

describe('pending changes', () => {
  let onDue: ReturnType<typeof vi.fn<() => void>>
  let pending: PendingChanges

  beforeEach(() => {
    vi.useFakeTimers()
    onDue = vi.fn<() => void>()
    pending = createPendingChanges({ windowMs: WINDOW_MS, onDue })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const takenChanges = (limit = 100): Change[] => pending.take(limit).map(({ change: taken }) => taken)
  const takenServices = (limit?: number): string[] => takenChanges(limit).map(({ service }) => service)

  it('hand out the first change of a quiet key at once', () => {
    pending.add(change('cart'))
    expect(onDue).toHaveBeenCalledOnce()
    expect(takenServices()).toEqual(['cart'])
    expect(pending.size).toBe(0)
  })

  it('hand out what came within the window as one change at its end', () => {
    pending.add(change('cart'))
    pending.take(1)
    pending.add(change('cart', { resourceVersion: '9' }))
    pending.add(change('cart', { resourceVersion: '10' }))
    vi.advanceTimersByTime(WINDOW_MS - 1)
    expect(takenServices()).toEqual([])
    expect(pending.size).toBe(1)
    vi.advanceTimersByTime(1)
    expect(takenChanges()).toEqual([change('cart', { resourceVersion: '10' })])
  })

  it('keep at most one sending a window for a key that never rests', () => {
    let sendings = 0
    for (let ms = 0; ms < 10 * WINDOW_MS; ms += 10) {
      pending.add(change('cart'))
      sendings += takenServices().length
      vi.advanceTimersByTime(10)
    }
    expect(sendings).toBe(10)
  })

  it('are quiet again after a window without a change', () => {
    pending.add(change('cart'))
    pending.take(1)
    vi.advanceTimersByTime(WINDOW_MS)
    pending.add(change('cart'))
    expect(takenServices()).toEqual(['cart'])
  })

  it('do not let one busy key delay another', () => {
    pending.add(change('cart'))
    pending.take(1)
    pending.add(change('cart'))
    pending.add(change('till'))
    expect(takenServices()).toEqual(['till'])
  })

  it('are merged to the earliest cause and the newest version while they wait', () => {
    pending.add(change('cart', { triggerTime: '2026-01-01T10:00:01Z', resourceVersion: '100' }))
    pending.add(change('cart', { triggerTime: '2026-01-01T10:00:00Z', resourceVersion: '99' }))
    expect(takenChanges(1)).toEqual([
      change('cart', { triggerTime: '2026-01-01T10:00:00Z', resourceVersion: '100' }),
    ])
  })

  it('lose their version to a change that has none: pods of that version need not show both', () => {
    pending.add(change('cart', { resourceVersion: '100' }))
    pending.add(change('cart'))
    pending.add(change('cart', { resourceVersion: '101' }))
    expect(takenChanges(1)).toEqual([change('cart')])
  })

  it('come back when they could not be sent, merged with what came meanwhile', () => {
    pending.add(change('cart', { resourceVersion: '5' }))
    const taken = pending.take(1)
    pending.add(change('cart', { resourceVersion: '6' }))
    pending.putBack(taken)
    expect(pending.size).toBe(1)
    expect(takenChanges()).toEqual([change('cart', { resourceVersion: '6' })])
    vi.advanceTimersByTime(WINDOW_MS)
    expect(takenServices()).toEqual([])
  })

  it('know since when they wait, also after they were merged or came back', () => {
    pending = createPendingChanges({ windowMs: WINDOW_MS, onDue, now: () => Date.now() })
    const start = Date.now()
    const ages = (): number[] => [...pending.waiting()].map(({ since }) => since - start)
    pending.add(change('cart'))
    vi.advanceTimersByTime(10)
    pending.add(change('cart'))
    expect(ages()).toEqual([0])
    const taken = pending.take(1)
    expect(ages()).toEqual([])
    pending.add(change('cart'))
    expect(ages()).toEqual([10])
    pending.putBack(taken)
    expect(ages()).toEqual([0])
  })

  it('are all due after a flush, whatever their window', () => {
    pending.add(change('cart'))
    pending.take(1)
    pending.add(change('cart'))
    pending.flush()
    expect(takenServices()).toEqual(['cart'])
  })

  it('are handed out oldest first and no more than asked for', () => {
    for (const service of ['a', 'b', 'c']) pending.add(change(service))
    expect(takenServices(2)).toEqual(['a', 'b'])
    expect(takenServices()).toEqual(['c'])
  })

  it('remember nothing of a key that was sent and rested', () => {
    for (let index = 0; index < 1000; index++) pending.add(change(`s${index}`))
    pending.take(1000)
    vi.advanceTimersByTime(WINDOW_MS)
    expect(vi.getTimerCount()).toBe(0)
    expect(pending.size).toBe(0)
  })
})
