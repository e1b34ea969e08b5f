import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { JudgedKey, Verdict } from '../../shared/changes/index.ts'
import { createSweeper, type Sweeper } from './sweeper.ts'

const judged = (service: string, verdict: Verdict): JudgedKey => ({
  cluster: 'a',
  namespace: 'shop',
  service,
  verdict,
})

describe('a sweeper', () => {
  let keys: JudgedKey[]
  let recent: Set<string>
  let swept: string[][]
  let sweeper: Sweeper

  beforeEach(() => {
    vi.useFakeTimers()
    keys = [judged('right', 'right'), judged('wrong', 'wrong'), judged('foreign', 'unknown')]
    recent = new Set()
    swept = []
    sweeper = createSweeper({
      intervalMs: 60_000,
      judge: () => keys,
      isRecent: ({ service }) => recent.has(service),
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
    keys = [judged('wrong', 'right')]
    await vi.advanceTimersByTimeAsync(60_000)
    expect(swept).toEqual([['wrong', 'foreign'], []])
  })

  it('passes over those that changed not long ago', async () => {
    recent.add('wrong')
    sweeper.start()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(swept).toEqual([['foreign']])
  })

  it('lets events in between while it judges many', async () => {
    vi.useRealTimers()
    const order: string[] = []
    function* slow(): Generator<JudgedKey> {
      setImmediate(() => order.push('event'))
      for (const until = performance.now() + 15; performance.now() < until; );
      yield judged('first', 'wrong')
      order.push('second')
      yield judged('second', 'wrong')
    }
    sweeper = createSweeper({
      intervalMs: 1,
      judge: slow,
      isRecent: () => false,
      onSwept: () => {
        order.push('swept')
        sweeper.stop()
      },
    })
    sweeper.start()
    await vi.waitFor(() => expect(order).toEqual(['event', 'second', 'swept']))
  })

  it('ends in between once it is stopped, and tells nothing of what it has found', async () => {
    vi.useRealTimers()
    const judgedKeys: string[] = []
    const ended = Promise.withResolvers<void>()
    function* slow(): Generator<JudgedKey> {
      for (const name of ['first', 'second', 'third']) {
        setImmediate(() => {
          sweeper.stop()
          ended.resolve()
        })
        for (const until = performance.now() + 15; performance.now() < until; );
        judgedKeys.push(name)
        yield judged(name, 'wrong')
      }
    }
    sweeper = createSweeper({
      intervalMs: 1,
      judge: slow,
      isRecent: () => false,
      onSwept: (found) => void swept.push(found.map(({ service }) => service)),
    })
    sweeper.start()
    await ended.promise
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect([judgedKeys, swept]).toEqual([['first'], []])
  })

  it('finds nothing any more once it is stopped', async () => {
    sweeper.start()
    sweeper.stop()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(swept).toEqual([])
  })
})
