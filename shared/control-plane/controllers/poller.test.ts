import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Outcome, Poller, type PollerOptions } from './poller.ts'

const unexpected = (error: unknown): never => {
  throw error
}

/** Creates a poller with short times. */
const pollerOf = (work: PollerOptions['work'], onError: PollerOptions['onError'] = unexpected): Poller =>
  new Poller({ work, interval: 1, firstRetry: 1, onError })

describe('a poller', () => {
  it('does the work of a key once, however often it is asked for', async () => {
    const done: string[] = []
    const poller = pollerOf(async (key) => {
      done.push(key)
      return undefined
    })
    for (const key of ['a', 'b', 'a', 'a']) poller.poke(key)
    await vi.waitFor(() => expect(done.toSorted()).toEqual(['a', 'b']), 15_000)
    poller.stop()
  })

  it.each<Outcome>(['good', 'bad', 'stale'])('does it again when the outcome is %s', async (outcome) => {
    let times = 0
    const poller = pollerOf(async () => (++times < 3 ? outcome : undefined))
    poller.poke('a')
    await vi.waitFor(() => expect(times).toBe(3), 15_000)
    poller.stop()
  })

  it('waits for the interval, and after failures twice as long each time, up to the interval', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const outcomes: Outcome[] = ['bad', 'bad', 'stale', 'bad', 'bad', 'bad', 'good', 'bad', 'good']
    const times: number[] = []
    const began = Date.now()
    const work = async (): Promise<Outcome> => {
      times.push(Date.now() - began)
      return outcomes[times.length - 1]
    }
    const poller = new Poller({ work, interval: 1000, firstRetry: 100, onError: unexpected })
    poller.poke('a')
    await vi.runAllTimersAsync()
    // A faked setImmediate takes a millisecond.
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0) - 1)
    expect(waits).toEqual([100, 200, 0, 400, 800, 1000, 1000, 100, 1000])
  })

  it('never does the work of a key twice at the same time, but once more when it was asked for meanwhile', async () => {
    const running: (() => void)[] = []
    const poller = pollerOf(() => new Promise((resolve) => running.push(() => resolve(undefined))))
    poller.poke('a')
    await vi.waitFor(() => expect(running).toHaveLength(1), 15_000)
    poller.poke('a')
    poller.poke('b')
    await vi.waitFor(() => expect(running).toHaveLength(2), 15_000)
    running[0]?.()
    await vi.waitFor(() => expect(running).toHaveLength(3), 15_000)
    poller.stop()
  })

  it('reports failures, and continues with the other keys', async () => {
    const failures: unknown[] = []
    const done: string[] = []
    const poller = pollerOf(
      async (key) => {
        if (key === 'bad') throw new Error('no')
        done.push(key)
        return undefined
      },
      (error) => failures.push(error),
    )
    poller.poke('bad')
    poller.poke('good')
    await vi.waitFor(() => expect([failures.map(String), done]).toEqual([['Error: no'], ['good']]), 15_000)
    poller.stop()
  })

  it('does nothing for keys that it was to forget, and nothing at all when it is stopped', async () => {
    const done: string[] = []
    const poller = pollerOf(async (key) => {
      done.push(key)
      return 'good'
    })
    poller.poke('a')
    poller.poke('b')
    poller.forget('a')
    await vi.waitFor(() => expect(done.length).toBeGreaterThan(2), 15_000)
    expect(done).not.toContain('a')
    poller.stop()
    const before = done.length
    await new Promise((resolve) => setImmediate(resolve))
    expect(done.length).toBe(before)
  })
})
