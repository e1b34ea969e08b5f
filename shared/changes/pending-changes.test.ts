import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { heapUsed } from '../../test/support/heap.ts'
import { type Change, createPendingChanges, fixedDelay, type PendingChanges } from './index.ts'

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
    pending = createPendingChanges({ delayOf: () => fixedDelay(WINDOW_MS), onDue })
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

  it('say once that something is due, however often that changes', () => {
    for (const version of ['1', '2', '3']) pending.add(change('cart', { resourceVersion: version }))
    pending.add(change('till'))
    expect(onDue).toHaveBeenCalledOnce()
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

  it('drop what needs no look any more when its rest is over, and let the next change go at once', () => {
    const settled = new Set<string>()
    pending = createPendingChanges({
      delayOf: () => fixedDelay(WINDOW_MS),
      isSettled: ({ pods }) => pods?.every((pod) => settled.has(pod)) ?? false,
      onDue,
    })
    settled.add('a')
    pending.add(change('cart', { pods: ['a'] }))
    expect(takenChanges()).toEqual([change('cart', { pods: ['a'] })])
    pending.add(change('cart', { pods: ['a'] }))
    vi.advanceTimersByTime(WINDOW_MS)
    expect(takenChanges()).toEqual([])
    expect(pending.size).toBe(0)
    pending.add(change('cart', { pods: ['b'] }))
    expect(takenChanges()).toEqual([change('cart', { pods: ['b'] })])
  })

  it('drop nothing at the end', () => {
    pending = createPendingChanges({ delayOf: () => fixedDelay(WINDOW_MS), isSettled: () => true, onDue })
    pending.add(change('cart'))
    pending.take(1)
    pending.add(change('cart', { resourceVersion: '9' }))
    pending.flush()
    expect(takenServices()).toEqual(['cart'])
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

  describe('of a key that rests until it was written', () => {
    const rest = { minMs: 100, maxMs: 500 }
    const key = change('cart')
    beforeEach(() => {
      pending = createPendingChanges({ delayOf: () => rest, onDue })
      pending.add(key)
      pending.take(1)
      pending.add(key)
    })

    it('are due once it was, and not before the rest has lasted as long as it must', () => {
      pending.written(key)
      vi.advanceTimersByTime(99)
      expect(takenServices()).toEqual([])
      vi.advanceTimersByTime(1)
      expect(takenServices()).toEqual(['cart'])
    })

    it('are due as it is, when the rest has lasted as long as it must', () => {
      vi.advanceTimersByTime(200)
      expect(takenServices()).toEqual([])
      pending.written(change('till'))
      expect(takenServices()).toEqual([])
      pending.written(key)
      expect(takenServices()).toEqual(['cart'])
    })

    it('are due at the end of the longest rest, if it never is', () => {
      vi.advanceTimersByTime(499)
      expect(takenServices()).toEqual([])
      vi.advanceTimersByTime(1)
      expect(takenServices()).toEqual(['cart'])
    })

    it('rest each time as they did the first time, however the rest before has ended', () => {
      // The first rest ends by its longest time, the second one by a write, and so on.
      for (let time = 0; time < 3; time++) {
        vi.advanceTimersByTime(500)
        expect(takenServices()).toEqual(['cart'])
        pending.add(key)
        pending.written(key)
        vi.advanceTimersByTime(99)
        expect(takenServices()).toEqual([])
        vi.advanceTimersByTime(1)
        expect(takenServices()).toEqual(['cart'])
        pending.add(key)
        vi.advanceTimersByTime(499)
        expect(takenServices()).toEqual([])
      }
    })
  })

  describe('that may be patient', () => {
    const key = change('cart')
    const urgent = (...pods: string[]): Change => ({ ...key, pods })
    const deferrable = (...pods: string[]): Change => ({ ...key, pods, deferrable: true })
    beforeEach(() => {
      const delayOf = () => ({ minMs: 0, maxMs: 500, deferrableMs: 800 })
      pending = createPendingChanges({ delayOf, onDue })
    })

    function takenOnce(...added: Change[]): Change[] {
      for (const each of added) pending.add(each)
      const taken = takenChanges()
      vi.advanceTimersByTime(1)
      pending.written(key)
      return taken
    }

    it('are due at once while the key is quiet, without their mark', () => {
      expect(takenOnce(deferrable('a'))).toEqual([urgent('a')])
    })

    it('are not taken along by urgent ones, nor set back', () => {
      takenOnce(deferrable('a'))
      expect(takenOnce(deferrable('b'))).toEqual([])
      for (let ms = 2; ms < 799; ms++) expect(takenOnce(urgent(`u${ms}`))).toEqual([urgent(`u${ms}`)])
      expect(takenOnce()).toEqual([])
      expect(takenOnce()).toEqual([urgent('b')])
    })

    it('wait for a look that is under way even when their rest is over', () => {
      takenOnce(deferrable('a'))
      pending.add(deferrable('b'))
      vi.advanceTimersByTime(790)
      pending.add(urgent('c'))
      expect(takenChanges()).toEqual([urgent('c')])
      vi.advanceTimersByTime(20)
      pending.add(urgent('d'))
      expect(takenChanges()).toEqual([])
      pending.written(key)
      expect(takenChanges()).toEqual([urgent('d', 'b')])
    })

    it('are covered by an urgent one of the same Pod or of the whole Service', () => {
      takenOnce(deferrable('a'))
      pending.add(deferrable('b'))
      pending.add(deferrable('c'))
      expect(takenOnce(urgent('b'))).toEqual([urgent('b')])
      expect([...pending.waiting()].map((waiting) => waiting.change)).toEqual([deferrable('c')])
      expect(takenOnce(key)).toEqual([key])
      expect(pending.size).toBe(0)
    })

    it('rest after they were handed out together with an urgent one, too', () => {
      takenOnce(deferrable('a'))
      pending.add(deferrable('b'))
      pending.add(urgent('c'))
      pending.take(1)
      pending.add(urgent('d'))
      vi.advanceTimersByTime(800)
      pending.written(key)
      expect(takenChanges()).toEqual([urgent('d', 'b')])
      vi.advanceTimersByTime(1)
      pending.written(key)
      expect(takenOnce(deferrable('e'))).toEqual([])
      vi.advanceTimersByTime(800)
      pending.written(key)
      expect(takenChanges()).toEqual([urgent('e')])
    })

    it('are urgent when their Pod changes again while it waits, as it may have ceased to serve', () => {
      takenOnce(deferrable('a'))
      pending.add(deferrable('b'))
      pending.add(deferrable('c'))
      expect(takenOnce(deferrable('b'))).toEqual([urgent('b')])
    })
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
    pending = createPendingChanges({ delayOf: () => fixedDelay(WINDOW_MS), onDue, now: () => Date.now() })
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

  it('leave no timer running after a flush', () => {
    const delayOf = () => ({ minMs: 100, maxMs: 500, deferrableMs: 800 })
    pending = createPendingChanges({ delayOf, onDue })
    for (const service of ['a', 'b', 'c']) pending.add(change(service, { deferrable: true, pods: ['p'] }))
    pending.take(100)
    for (const service of ['a', 'b']) pending.add(change(service, { deferrable: true, pods: ['q'] }))
    pending.add(change('a'))
    pending.flush()
    expect(vi.getTimerCount()).toBe(0)
    expect(pending.size).toBe(2)
  })

  it('tell that some are due once, and again when none was left', () => {
    for (let time = 1; time <= 3; time++) {
      for (const service of ['a', 'b', 'c']) pending.add(change(`${service}${time}`))
      expect(onDue).toHaveBeenCalledTimes(time)
      pending.take(100)
    }
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

  it.each([
    ['rested', WINDOW_MS],
    ['needed no rest', 0],
  ])('take no memory for keys that were sent and %s', (_, windowMs) => {
    pending = createPendingChanges({ delayOf: () => fixedDelay(windowMs), onDue: () => undefined })
    const heapAfter = (from: number): number => {
      for (let index = from; index < from + 2_000; index++) pending.add(change(`s${index}`.padEnd(60, 'x')))
      expect(pending.take(2_000)).toHaveLength(2_000)
      vi.advanceTimersByTime(windowMs)
      return heapUsed()
    }
    heapAfter(0)
    const before = heapAfter(2_000)
    expect(heapAfter(4_000) - before).toBeLessThan(100_000)
  })
})
