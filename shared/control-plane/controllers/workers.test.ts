import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { ApiError } from '../apimachinery/errors/status.ts'
import { Workers } from './workers.ts'

const QUICK = { baseMs: 1, capMs: 2 }
const unexpected = (error: unknown): void => {
  throw error
}

it('works on a key once however often it is added, at its latest item', async () => {
  const work = vi.fn(async () => undefined)
  const queue = new Workers<number>({ work, onError: unexpected })
  for (const item of [1, 2, 3]) queue.add('a', item)
  await expect.poll(() => work.mock.calls).toEqual([[3]])
  await setImmediate()
  expect(work).toHaveBeenCalledTimes(1)
})

it('works again on what is added while it is worked on, and never twice at a time', async () => {
  const looks: PromiseWithResolvers<void>[] = []
  let running = 0
  const work = async (): Promise<void> => {
    expect(++running).toBe(1)
    const look = Promise.withResolvers<void>()
    looks.push(look)
    await look.promise
    running--
  }
  const queue = new Workers<string>({ work, onError: unexpected })
  queue.add('a', 'a')
  await expect.poll(() => looks).toHaveLength(1)
  queue.add('a', 'a')
  queue.add('a', 'a')
  await setImmediate()
  expect(looks).toHaveLength(1)
  looks[0]?.resolve()
  await expect.poll(() => looks).toHaveLength(2)
  looks[1]?.resolve()
  await setImmediate()
  expect(looks).toHaveLength(2)
})

it('works on no more keys at the same time than it may, and on all in their order', async () => {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work = (item: string): Promise<void> => {
    begun.push(item)
    return new Promise((resolve) => ends.push(resolve))
  }
  const queue = new Workers<string>({ work, onError: unexpected, concurrency: 2 })
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key, key)
  await expect.poll(() => begun).toEqual(['a', 'b'])
  await setImmediate()
  expect(begun).toEqual(['a', 'b'])
  ends[0]?.()
  await expect.poll(() => begun).toEqual(['a', 'b', 'c'])
  ends[1]?.()
  await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd'])
})

it('retries until it succeeds, and reports every failure except conflicts', async () => {
  const failures = [
    new Error('first'),
    new ApiError(409, 'Conflict', 'somebody was quicker'),
    new Error('last'),
  ]
  const expected = failures.filter((error) => !(error instanceof ApiError))
  const reported: unknown[] = []
  const done = Promise.withResolvers<void>()
  const work = async (): Promise<void> => {
    const failure = failures.shift()
    if (failure) throw failure
    done.resolve()
  }
  const queue = new Workers<string>({ work, onError: (error) => reported.push(error), backoff: QUICK })
  queue.add('a', 'a')
  await done.promise
  expect(reported).toEqual(expected)
})

it('works on a key later, and sooner where it is added meanwhile', async () => {
  const work = vi.fn(async () => undefined)
  const queue = new Workers<string>({ work, onError: unexpected })
  queue.addAfter('soon', 'soon', 1)
  queue.addAfter('late', 'late', 3_600_000)
  await expect.poll(() => work.mock.calls).toEqual([['soon']])
  queue.add('late', 'now')
  await expect.poll(() => work.mock.calls).toEqual([['soon'], ['now']])
})

it('works on nothing once it is stopped', async () => {
  const work = vi.fn(async () => undefined)
  const queue = new Workers<string>({ work, onError: unexpected })
  queue.add('a', 'a')
  queue.stop()
  queue.add('b', 'b')
  queue.addAfter('c', 'c', 0)
  await setImmediate()
  await setImmediate()
  expect(work).not.toHaveBeenCalled()
})
