import { describe, expect, test, vi } from 'vitest'
import { Poller } from './poller.ts'

const unexpected = (error: unknown): never => {
  throw error
}

describe('a poller', () => {
  test('does the work of a key once, however often it is asked for', async () => {
    const done: string[] = []
    const poller = new Poller(async (key) => void done.push(key), unexpected)
    for (const key of ['a', 'b', 'a', 'a']) poller.poke(key)
    await vi.waitFor(() => expect(done.toSorted()).toEqual(['a', 'b']))
    poller.stop()
  })

  test('does it again after the delay that the work returns', async () => {
    let times = 0
    const poller = new Poller(async () => (++times < 3 ? 1 : undefined), unexpected)
    poller.poke('a')
    await vi.waitFor(() => expect(times).toBe(3))
    poller.stop()
  })

  test('never does the work of a key twice at the same time, but once more when it was asked for meanwhile', async () => {
    const running: (() => void)[] = []
    const poller = new Poller(
      () => new Promise((resolve) => running.push(() => resolve(undefined))),
      unexpected,
    )
    poller.poke('a')
    await vi.waitFor(() => expect(running).toHaveLength(1))
    poller.poke('a')
    poller.poke('b')
    await vi.waitFor(() => expect(running).toHaveLength(2))
    running[0]?.()
    await vi.waitFor(() => expect(running).toHaveLength(3))
    poller.stop()
  })

  test('tells what goes wrong, and goes on with the other keys', async () => {
    const failures: unknown[] = []
    const done: string[] = []
    const poller = new Poller(
      async (key) => {
        if (key === 'bad') throw new Error('no')
        done.push(key)
        return undefined
      },
      (error) => failures.push(error),
    )
    poller.poke('bad')
    poller.poke('good')
    await vi.waitFor(() => expect([failures.map(String), done]).toEqual([['Error: no'], ['good']]))
    poller.stop()
  })

  test('does nothing for keys that it was to forget, and nothing at all when it is stopped', async () => {
    const done: string[] = []
    const poller = new Poller(async (key) => {
      done.push(key)
      return 1
    }, unexpected)
    poller.poke('a')
    poller.poke('b')
    poller.forget('a')
    await vi.waitFor(() => expect(done.length).toBeGreaterThan(2))
    expect(done).not.toContain('a')
    poller.stop()
    const before = done.length
    await new Promise((resolve) => setImmediate(resolve))
    expect(done.length).toBe(before)
  })
})
