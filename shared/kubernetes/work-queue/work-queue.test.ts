import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ProcessingTime, WorkQueue } from '../index.ts'

interface Item {
  readonly key: string
  readonly count: number
}
const item = (key: string, count = 1): Item => ({ key, count })

describe('a work queue', () => {
  let ready: number
  let queue: WorkQueue<Item>

  function start(processingTime?: ProcessingTime): WorkQueue<Item> {
    ready = 0
    return new WorkQueue<Item>({
      keyOf: ({ key }) => key,
      onReady: () => ready++,
      ...(processingTime && { processingTime: () => processingTime }),
    })
  }
  const got = (limit = 100): Item[] => queue.get(limit).map((queued) => queued.item)

  beforeEach(() => {
    vi.useFakeTimers()
    queue = start()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('hands out each key once however often it was added, at its latest item, in the order of the first', () => {
    for (const each of [item('a'), item('b'), item('a', 2)]) queue.add(each)
    expect([ready, queue.length]).toEqual([1, 2])
    expect([got(1), got()]).toEqual([[item('a', 2)], [item('b')]])
    expect(queue.length).toBe(0)
  })

  it('keeps back what is added of a key that is being processed, until that is done', () => {
    queue.add(item('a'))
    got()
    queue.add(item('a', 2))
    vi.advanceTimersByTime(3_600_000)
    expect([got(), queue.length, ready]).toEqual([[], 1, 1])
    queue.done('a')
    expect(ready).toBe(2)
    expect(got()).toEqual([item('a', 2)])
    queue.done('a')
    expect([got(), queue.length]).toEqual([[], 0])
  })

  it('does not mind that a key is done which is not being processed', () => {
    queue.done('a')
    queue.add(item('a'))
    queue.done('a')
    expect(got()).toEqual([item('a')])
  })

  it('processes a key for as long as it must, and no longer than it may', () => {
    queue = start({ minMs: 100, maxMs: 300 })
    queue.add(item('a'))
    got()
    queue.done('a')
    queue.add(item('a', 2))
    vi.advanceTimersByTime(99)
    expect(got()).toEqual([])
    vi.advanceTimersByTime(1)
    expect(got()).toEqual([item('a', 2)])
    queue.add(item('a', 3))
    vi.advanceTimersByTime(299)
    expect(got()).toEqual([])
    vi.advanceTimersByTime(1)
    expect(got()).toEqual([item('a', 3)])
  })

  describe('adds later', () => {
    it('when the time is over', () => {
      queue.addAfter(item('a'), 50)
      vi.advanceTimersByTime(49)
      expect([got(), queue.length]).toEqual([[], 1])
      vi.advanceTimersByTime(1)
      expect([got(), ready]).toEqual([[item('a')], 1])
    })

    it('by the last time that was said', () => {
      queue.addAfter(item('a'), 50)
      queue.addAfter(item('a', 2), 100)
      vi.advanceTimersByTime(50)
      expect(got()).toEqual([])
      vi.advanceTimersByTime(50)
      expect(got()).toEqual([item('a', 2)])
    })

    it('with what waits already, as the earlier item', () => {
      queue.add(item('a'))
      queue.addAfter(item('a', 2), 50)
      expect(got()).toEqual([item('a')])
      queue.add(item('a', 3))
      queue.addAfter(item('a', 4), 50)
      expect(vi.getTimerCount()).toBe(0)
      queue.done('a')
      expect(got()).toEqual([item('a', 3)])
    })

    it('at once where the key is added meanwhile', () => {
      queue.addAfter(item('a'), 50)
      queue.add(item('a', 2))
      expect(got()).toEqual([item('a', 2)])
      queue.done('a')
      vi.advanceTimersByTime(50)
      expect(got()).toEqual([])
    })

    it('but not before a key that is being processed is done', () => {
      queue.add(item('a'))
      got()
      queue.addAfter(item('a', 2), 50)
      vi.advanceTimersByTime(50)
      expect(got()).toEqual([])
      queue.done('a')
      expect(got()).toEqual([item('a', 2)])
    })

    it('also what was being processed meanwhile and is done', () => {
      queue.add(item('a'))
      got()
      queue.addAfter(item('a', 2), 50)
      queue.done('a')
      expect(got()).toEqual([])
      vi.advanceTimersByTime(50)
      expect(got()).toEqual([item('a', 2)])
    })
  })

  it('takes back what could not be processed, with what came meanwhile and was to come later', () => {
    queue.add(item('a'))
    queue.add(item('b'))
    const taken = queue.get(2)
    queue.add(item('a', 2))
    queue.addAfter(item('b', 2), 50)
    queue.putBack(taken)
    expect(got()).toEqual([item('a', 2), item('b', 2)])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('has all that waits ready after a flush', () => {
    queue.add(item('a'))
    got()
    queue.add(item('a', 2))
    queue.addAfter(item('b'), 50)
    queue.flush()
    expect(got()).toEqual([item('a', 2), item('b')])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('knows nothing any more once it is shut down', () => {
    queue.add(item('a'))
    queue.addAfter(item('b'), 50)
    queue.shutDown()
    queue.add(item('c'))
    queue.addAfter(item('d'), 0)
    vi.advanceTimersByTime(50)
    expect([queue.isShutDown, queue.length, got(), vi.getTimerCount()]).toEqual([true, 0, [], 0])
  })
})
