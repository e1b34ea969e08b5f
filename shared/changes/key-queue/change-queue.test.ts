import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { heapUsed } from '../../../test/support/heap.ts'
import { type Change, createChangeQueue, fixedTime, keyText } from '../index.ts'

const WINDOW_MS = 500

const change = (service: string, more: Partial<Change> = {}): Change => ({
  cluster: 'a',
  namespace: 'shop',
  service,
  ...more,
})

describe('pending changes', () => {
  let onReady: ReturnType<typeof vi.fn<() => void>>
  let queue: ReturnType<typeof createChangeQueue>

  beforeEach(() => {
    vi.useFakeTimers()
    onReady = vi.fn<() => void>()
    queue = createChangeQueue({ processingTime: () => fixedTime(WINDOW_MS), onReady })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const takenChanges = (limit = 100): Change[] =>
    queue.get(limit).map(({ item: { deferrable: _, ...taken } }) => taken)
  const takenServices = (limit?: number): string[] => takenChanges(limit).map(({ service }) => service)

  it('drop what needs no sync any more when its delay is over, and let the next change go at once', () => {
    const settled = new Set<string>()
    queue = createChangeQueue({
      processingTime: () => fixedTime(WINDOW_MS),
      isSettled: ({ pods }) => pods?.every((pod) => settled.has(pod)) ?? false,
      onReady,
    })
    settled.add('a')
    queue.add(change('cart', { pods: ['a'] }))
    expect(takenChanges()).toEqual([change('cart', { pods: ['a'] })])
    queue.add(change('cart', { pods: ['a'] }))
    vi.advanceTimersByTime(WINDOW_MS)
    expect(takenChanges()).toEqual([])
    expect(queue.length).toBe(0)
    queue.add(change('cart', { pods: ['b'] }))
    expect(takenChanges()).toEqual([change('cart', { pods: ['b'] })])
  })

  it('drop nothing at the end', () => {
    queue = createChangeQueue({ processingTime: () => fixedTime(WINDOW_MS), isSettled: () => true, onReady })
    queue.add(change('cart'))
    queue.get(1)
    queue.add(change('cart', { resourceVersion: '9' }))
    queue.flush()
    expect(takenServices()).toEqual(['cart'])
  })

  describe('that may be patient', () => {
    const key = change('cart')
    const urgent = (...pods: string[]): Change => ({ ...key, pods })
    const deferrable = (...pods: string[]): Change => ({ ...key, pods, deferrable: true })
    beforeEach(() => {
      const processingTime = () => ({ minMs: 0, maxMs: 500, deferMs: 800 })
      queue = createChangeQueue({ processingTime, onReady })
    })

    function takenOnce(...added: Change[]): Change[] {
      for (const each of added) queue.add(each)
      const taken = takenChanges()
      vi.advanceTimersByTime(1)
      queue.done(keyText(key))
      return taken
    }

    it('go along with an urgent one that writes their slice, and their turn stays', () => {
      const processingTime = () => ({ minMs: 0, maxMs: 500, deferMs: 800 })
      const alongWith = (_: Change, pods: readonly string[]) => pods.filter((pod) => pod.startsWith('same'))
      queue = createChangeQueue({ processingTime, alongWith, onReady })
      takenOnce(deferrable('a'))
      expect(takenOnce(deferrable('same1'), deferrable('other'), urgent('c'))).toEqual([urgent('c', 'same1')])
      expect(takenOnce(urgent('d'))).toEqual([urgent('d')])
      vi.advanceTimersByTime(800)
      expect(takenOnce()).toEqual([urgent('other')])
    })

    it('wait for the time of the one that waits longest, and not for that of one that went along', () => {
      const processingTime = () => ({ minMs: 0, maxMs: 500, deferMs: 800 })
      const alongWith = (_: Change, pods: readonly string[]) => pods.slice(0, 1)
      queue = createChangeQueue({ processingTime, alongWith, onReady })
      takenOnce(deferrable('a'))
      queue.add(deferrable('b'))
      vi.advanceTimersByTime(300)
      queue.add(deferrable('c'))
      expect(takenOnce(urgent('d'))).toEqual([urgent('d', 'b')])
      vi.advanceTimersByTime(798)
      expect(takenOnce()).toEqual([])
      expect(takenOnce()).toEqual([urgent('c')])
    })

    it('are one of the whole Service where they are many', () => {
      takenOnce(deferrable('a'))
      for (let index = 0; index < 200; index++) queue.add(deferrable(`b${index}`))
      expect([...queue.waiting()].length).toBeLessThan(70)
      vi.advanceTimersByTime(800)
      expect(takenOnce()).toEqual([key])
    })

    it('wait for a sync that is under way even when their delay is over', () => {
      takenOnce(deferrable('a'))
      queue.add(deferrable('b'))
      vi.advanceTimersByTime(790)
      queue.add(urgent('c'))
      expect(takenChanges()).toEqual([urgent('c')])
      vi.advanceTimersByTime(20)
      queue.add(urgent('d'))
      expect(takenChanges()).toEqual([])
      queue.done(keyText(key))
      expect(takenChanges()).toEqual([urgent('d', 'b')])
    })

    it('are covered by an urgent one of the same Pod or of the whole Service', () => {
      takenOnce(deferrable('a'))
      queue.add(deferrable('b'))
      queue.add(deferrable('c'))
      expect(takenOnce(urgent('b'))).toEqual([urgent('b')])
      expect([...queue.waiting()].map((waiting) => waiting.item)).toEqual([deferrable('c')])
      expect(takenOnce(key)).toEqual([key])
      expect(queue.length).toBe(0)
    })
  })

  it('know since when they wait, also after they were merged or came back', () => {
    queue = createChangeQueue({ processingTime: () => fixedTime(WINDOW_MS), onReady })
    const start = performance.now()
    const ages = (): number[] => [...queue.waiting()].map(({ since }) => since - start)
    queue.add(change('cart'))
    vi.advanceTimersByTime(10)
    queue.add(change('cart'))
    expect(ages()).toEqual([0])
    const taken = queue.get(1)
    expect(ages()).toEqual([])
    queue.add(change('cart'))
    expect(ages()).toEqual([10])
    queue.putBack(taken)
    expect(ages()).toEqual([0])
  })

  it('leave no timer running after a flush', () => {
    const processingTime = () => ({ minMs: 100, maxMs: 500, deferMs: 800 })
    queue = createChangeQueue({ processingTime, onReady })
    for (const service of ['a', 'b', 'c']) queue.add(change(service, { deferrable: true, pods: ['p'] }))
    queue.get(100)
    for (const service of ['a', 'b']) queue.add(change(service, { deferrable: true, pods: ['q'] }))
    queue.add(change('a'))
    queue.flush()
    expect(vi.getTimerCount()).toBe(0)
    expect(queue.length).toBe(2)
  })

  it('tell that some are due once, and again when none was left', () => {
    for (let time = 1; time <= 3; time++) {
      for (const service of ['a', 'b', 'c']) queue.add(change(`${service}${time}`))
      expect(onReady).toHaveBeenCalledTimes(time)
      queue.get(100)
    }
  })

  it('are handed out oldest first and no more than asked for', () => {
    for (const service of ['a', 'b', 'c']) queue.add(change(service))
    expect(takenServices(2)).toEqual(['a', 'b'])
    expect(takenServices()).toEqual(['c'])
  })

  it.each([
    ['rested', WINDOW_MS],
    ['needed no rest', 0],
  ])('take no memory for keys that were sent and %s', (_, windowMs) => {
    queue = createChangeQueue({ processingTime: () => fixedTime(windowMs), onReady: () => undefined })
    const heapAfter = (from: number): number => {
      for (let index = from; index < from + 2_000; index++) queue.add(change(`s${index}`.padEnd(60, 'x')))
      expect(queue.get(2_000)).toHaveLength(2_000)
      vi.advanceTimersByTime(windowMs)
      return heapUsed()
    }
    heapAfter(0)
    const before = heapAfter(2_000)
    expect(heapAfter(4_000) - before).toBeLessThan(100_000)
  })
})
