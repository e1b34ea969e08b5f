import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ComparedKey, type KeyText, keyText, type SliceState } from '../../shared/changes/index.ts'
import { createTurns } from '../../shared/kubernetes/index.ts'
import { heapUsed } from '../../test/support/heap.ts'
import { Sweeper } from './sweeper.ts'

const compared = (service: string, state: SliceState): ComparedKey => ({
  cluster: 'a',
  namespace: 'shop',
  service,
  state,
})

describe('a sweeper', () => {
  let keys: ComparedKey[]
  let waiting: Set<KeyText>
  let swept: string[][]
  let sweeper: Sweeper

  beforeEach(() => {
    vi.useFakeTimers()
    keys = [compared('right', 'right'), compared('wrong', 'wrong'), compared('foreign', 'unknown')]
    waiting = new Set()
    swept = []
    sweeper = new Sweeper({
      intervalMs: 60_000,
      compareWithDesired: () => keys,
      waiting: () => waiting,
      nextTurn: async () => undefined,
      onSwept: (found) => void swept.push(found.map(({ service }) => service)),
    })
  })
  afterEach(() => {
    sweeper.stop()
    vi.useRealTimers()
  })

  it('finds once in its interval the keys that are not right', async () => {
    sweeper.start()
    await vi.advanceTimersByTimeAsync(59_999)
    expect(swept).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(swept).toEqual([['wrong', 'foreign']])
    keys = [compared('wrong', 'right')]
    await vi.advanceTimersByTimeAsync(60_000)
    expect(swept).toEqual([['wrong', 'foreign'], []])
  })

  it('passes over those whose last change was less than 2 s ago', async () => {
    const [right, wrong, foreign] = keys as [ComparedKey, ComparedKey, ComparedKey]
    sweeper.start()
    await vi.advanceTimersByTimeAsync(57_000)
    sweeper.changed([wrong, foreign, right])
    await vi.advanceTimersByTimeAsync(1_000)
    sweeper.changed([foreign])
    await vi.advanceTimersByTimeAsync(1)
    sweeper.changed([wrong])
    await vi.advanceTimersByTimeAsync(1_999)
    expect(swept).toEqual([['foreign']])
  })

  it('passes over those that wait to be sent', async () => {
    waiting.add(keyText(compared('wrong', 'wrong')))
    sweeper.start()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(swept).toEqual([['foreign']])
  })

  it('forgets what changed some time ago', () => {
    const heapAfter = (changes: number): number => {
      for (let index = 0; index < changes; index++) {
        vi.advanceTimersByTime(100)
        sweeper.changed([compared(`${performance.now()}-`.padEnd(200, 'x'), 'wrong')])
      }
      return heapUsed()
    }
    const before = heapAfter(3_000)
    expect(heapAfter(3_000) - before).toBeLessThan(300_000)
  })

  it('lets events in between while it compares many', async () => {
    vi.useRealTimers()
    const order: string[] = []
    function* slow(): Generator<ComparedKey> {
      setImmediate(() => order.push('event'))
      for (const until = performance.now() + 15; performance.now() < until; );
      yield compared('first', 'wrong')
      order.push('second')
      yield compared('second', 'wrong')
    }
    sweeper = new Sweeper({
      intervalMs: 1,
      compareWithDesired: slow,
      waiting: () => waiting,
      nextTurn: createTurns(),
      onSwept: () => {
        order.push('swept')
        sweeper.stop()
      },
    })
    sweeper.start()
    await vi.waitFor(() => expect(order).toEqual(['event', 'second', 'swept']))
  })

  it('ends in between once it is stopped, and reports nothing of what it has found', async () => {
    vi.useRealTimers()
    const comparedKeys: string[] = []
    const ended = Promise.withResolvers<void>()
    function* slow(): Generator<ComparedKey> {
      for (const name of ['first', 'second', 'third']) {
        setImmediate(() => {
          sweeper.stop()
          ended.resolve()
        })
        for (const until = performance.now() + 15; performance.now() < until; );
        comparedKeys.push(name)
        yield compared(name, 'wrong')
      }
    }
    sweeper = new Sweeper({
      intervalMs: 1,
      compareWithDesired: slow,
      waiting: () => waiting,
      nextTurn: createTurns(),
      onSwept: (found) => void swept.push(found.map(({ service }) => service)),
    })
    sweeper.start()
    await ended.promise
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect([comparedKeys, swept]).toEqual([['first'], []])
  })

  it('finds nothing any more once it is stopped', async () => {
    sweeper.start()
    sweeper.stop()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(swept).toEqual([])
  })
})
