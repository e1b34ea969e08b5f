import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { contextOf, keyBody, record, setUp } from './batch-handler.fixtures.ts'
import { createHandler, type HandlerSettings, type Reconcile } from './batch-handler.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const never = (): Promise<never> => new Promise(() => {})

/**
 * Returns when each part of a batch ended, in milliseconds from its beginning, as nothing of it ends by
 * itself.
 */
async function timesOf(timeoutMs: number, reconcile: Reconcile, settings?: HandlerSettings) {
  const began = Date.now()
  const times: Record<string, number> = {}
  const note = (what: string) => (): void => {
    times[what] = Date.now() - began
  }
  const hang = (what: string, signal: AbortSignal | undefined): Promise<never> => {
    signal?.addEventListener('abort', note(what))
    return never()
  }
  const handler = createHandler({
    reconcile: (key, context) => {
      context.signal.addEventListener('abort', note('keys'))
      return reconcile(key, context)
    },
    deadLetters: { send: (_letter, signal) => hang('letters', signal) },
    visibility: { postpone: (_changes, signal) => hang('postponements', signal) },
    logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    ...(settings && { settings }),
  })
  const Records = [record('1', keyBody('cart'), 9)]
  const handled = Promise.resolve(handler({ Records }, contextOf(timeoutMs))).then(note('answer'))
  await vi.advanceTimersByTimeAsync(timeoutMs)
  await handled
  return times
}

describe('a batch whose time is nearly over', () => {
  it.each([
    [60_000, { keys: 57_000, postponements: 59_250, answer: 59_250 }],
    [4_000, { keys: 3_000, postponements: 3_750, answer: 3_750 }],
  ])('of %i ms keeps back 3 s for its end, and a quarter of a shorter time', async (timeoutMs, times) => {
    expect(await timesOf(timeoutMs, never)).toEqual(times)
  })

  it('waits for dead letters and then for the queue until just before its time is over', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('500'))
    expect(await timesOf(60_000, fail, { maxReceiveCount: 9 })).toEqual({
      keys: 57_000,
      letters: 58_875,
      postponements: 59_250,
      answer: 59_250,
    })
  })

  it('names only what was not finished, though it answers in the last milliseconds', async () => {
    const { handle } = setUp({
      reconcile: ({ service }) => (service === 'hangs' ? never() : Promise.resolve()),
      postpone: never,
    })
    const handled = handle([record('1', keyBody('cart')), record('2', keyBody('hangs'))], 32)
    await vi.advanceTimersByTimeAsync(32)
    expect(await handled).toEqual(['2'])
  })
})
