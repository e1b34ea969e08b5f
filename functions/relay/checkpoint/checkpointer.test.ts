import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { KeyText } from '../../../shared/changes/index.ts'
import { createLogger } from '../../../shared/telemetry/index.ts'
import { type Checkpointer, changedSince, createCheckpointer } from './checkpointer.ts'

const MINUTE = 60_000
const keys = (...names: string[]): Map<KeyText, string> =>
  new Map(names.map((name) => [`a/shop/${name}` as KeyText, `digest of ${name}`]))

describe('a checkpointer', () => {
  let accepted: string[]
  /** Actions on the file, in order. */
  let done: string[]
  let failure: Error | undefined
  /** Duration of a write, in milliseconds. */
  let writeMs: number
  let failures: number
  let lines: object[]
  let checkpointer: Checkpointer

  beforeEach(() => {
    vi.useFakeTimers()
    accepted = ['web']
    done = []
    failure = undefined
    writeMs = 0
    failures = 0
    lines = []
    checkpointer = createCheckpointer({
      cluster: 'a',
      file: {
        read: async () => ({ problem: 'there is none' }),
        write: async (content) => {
          const names = [...content.keys()].map((key) => key.slice('a/shop/'.length))
          done.push(`begin ${names}`)
          if (writeMs > 0) await new Promise((resolve) => setTimeout(resolve, writeMs))
          if (failure !== undefined) throw failure
          done.push(`written ${names}`)
        },
        discard: async () => void done.push('discarded'),
      },
      accepted: () => keys(...accepted),
      logger: createLogger({ write: (line) => lines.push(JSON.parse(line)) }),
      onFailed: () => void failures++,
    })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
  const written = (): string[] => done.splice(0).filter((what) => what.startsWith('written'))

  it('writes a minute after its start what is accepted by then, and then each minute that changed something', async () => {
    checkpointer.start()
    accepted = ['api']
    await pass(MINUTE - 1)
    expect(done).toEqual([])
    await pass(1)
    expect(written()).toEqual(['written api'])
    await pass(10 * MINUTE)
    expect(written()).toEqual([])
    for (let minute = 0; minute < 3; minute++) {
      checkpointer.touch()
      checkpointer.touch()
      await pass(MINUTE)
    }
    expect(written()).toEqual(['written api', 'written api', 'written api'])
  })

  it('writes once an hour where nothing changes, so that its file does not grow old', async () => {
    checkpointer.start()
    await pass(MINUTE)
    done.length = 0
    await pass(59 * MINUTE)
    expect(written()).toHaveLength(0)
    await pass(MINUTE)
    expect(written()).toHaveLength(1)
    await pass(60 * MINUTE)
    expect(written()).toHaveLength(1)
  })

  it('tries again each minute after a failure though nothing changes, counts and reports each, and then stops', async () => {
    checkpointer.start()
    failure = new Error('the disk is full')
    await pass(3 * MINUTE)
    expect([failures, lines.length, written()]).toEqual([3, 3, []])
    expect(lines[2]).toMatchObject({ cluster: 'a', err: 'the disk is full' })
    failure = undefined
    await pass(MINUTE)
    expect(written()).toHaveLength(1)
    await pass(5 * MINUTE)
    expect([failures, written()]).toEqual([3, []])
  })

  it('keeps none while it is suspended, and writes again once it is resumed, each time', async () => {
    checkpointer.start()
    for (let time = 0; time < 3; time++) {
      await checkpointer.suspend()
      expect(done.splice(0)).toEqual(['discarded'])
      await pass(30 * MINUTE)
      expect(done).toEqual([])
      checkpointer.resume()
      await pass(MINUTE)
      expect(written()).toEqual(['written web'])
    }
  })

  it('discards after a write that was under way, so that none is left', async () => {
    writeMs = 5_000
    checkpointer.start()
    await pass(MINUTE)
    const discarded = checkpointer.suspend()
    await pass(writeMs)
    await discarded
    expect(done).toEqual(['begin web', 'written web', 'discarded'])
  })

  it('begins no write before the last one is over', async () => {
    writeMs = 2.5 * MINUTE
    checkpointer.start()
    await pass(MINUTE)
    accepted = ['api']
    checkpointer.touch()
    await pass(8 * MINUTE)
    expect(done).toEqual(['begin web', 'written web', 'begin api', 'written api'])
  })

  it('writes the last one at its end where something changed, and leaves no timer', async () => {
    checkpointer.start()
    await pass(MINUTE)
    accepted = ['api']
    checkpointer.touch()
    await checkpointer.stop()
    expect(written()).toEqual(['written web', 'written api'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('writes nothing at its end where it was never started, or is suspended', async () => {
    checkpointer.touch()
    await checkpointer.stop()
    expect(done).toEqual([])
    checkpointer.start()
    await checkpointer.suspend()
    checkpointer.touch()
    await checkpointer.stop()
    expect(done).toEqual(['discarded'])
  })
})

describe('the keys that changed since a checkpoint', () => {
  const now = (present: Map<KeyText, string>, digests = present) => ({ keys: present.keys(), digests })

  it.each<[string, ReturnType<typeof keys>, ReturnType<typeof now>, string[]]>([
    ['none where nothing did', keys('web', 'api'), now(keys('web', 'api')), []],
    ['those that came', keys('web'), now(keys('web', 'api')), ['a/shop/api']],
    ['those that went', keys('web', 'api'), now(keys('web')), ['a/shop/api']],
    [
      'those with another digest',
      keys('web'),
      now(keys('web'), new Map([...keys('web')].map(([key]) => [key, 'x']))),
      ['a/shop/web'],
    ],
    ['those without a digest, before and now', new Map(), now(keys('web'), new Map()), ['a/shop/web']],
    ['those without a digest now', keys('web'), now(keys('web'), new Map()), ['a/shop/web']],
  ])('are %s', (_, before, after, changed) => {
    expect([...changedSince(before, after)]).toEqual(changed)
  })
})
