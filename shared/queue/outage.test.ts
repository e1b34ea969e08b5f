import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Backoff } from '../kubernetes/index.ts'
import type { QueueClient } from './client.ts'
import type { KeyMessage } from './message.ts'
import { createReceivedMessages } from './received.ts'
import { createQueueSender } from './sender.ts'

const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/1/live'
const down = new Error('connect ECONNREFUSED')
const keys = (count: number): KeyMessage[] =>
  Array.from({ length: count }, (_, index) => ({ cluster: 'prod', namespace: 'shop', service: `s${index}` }))

/** Makes a queue that answers at once, or not, and counts its requests. */
function setUp(given: { readonly backoff?: Backoff } = {}) {
  const state: { isDown: boolean; until?: Promise<void>; failed: [] | undefined } = {
    isDown: false,
    failed: [],
  }
  const counts = { requests: 0, inFlight: 0, peak: 0 }
  const signals: (AbortSignal | undefined)[] = []
  async function answer(
    { Entries = [] }: { readonly Entries?: readonly { readonly Id: string | undefined }[] | undefined },
    options?: { readonly abortSignal?: AbortSignal | undefined },
  ) {
    counts.requests++
    signals.push(options?.abortSignal)
    counts.peak = Math.max(counts.peak, ++counts.inFlight)
    try {
      await state.until
      if (state.isDown) throw down
      return {
        Successful: Entries.map(({ Id }) => ({ Id, MessageId: Id, MD5OfMessageBody: '' })),
        Failed: state.failed,
      }
    } finally {
      counts.inFlight--
    }
  }
  const calls: Partial<QueueClient> = {
    sendMessageBatch: answer,
    deleteMessageBatch: answer,
    changeMessageVisibilityBatch: answer,
  }
  const client = calls as QueueClient
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const onProblem = vi.fn()
  const options = { client, queueUrl: QUEUE, logger, ...given }
  return {
    state,
    counts,
    signals,
    logger,
    onProblem,
    sender: createQueueSender({ ...options, onProblem }),
    received: createReceivedMessages(options),
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  // The longest delays that there are.
  vi.spyOn(Math, 'random').mockReturnValue(1 - Number.EPSILON)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('a sender whose queue is down for half an hour', () => {
  const HALF_AN_HOUR = 1_800_000

  it('asks it every 20 s in the end, counts each refusal, and warns of them once in 10 s', async () => {
    const { sender, state, counts, onProblem, logger } = setUp()
    state.isDown = true
    void sender.send(keys(25))
    await vi.advanceTimersByTimeAsync(HALF_AN_HOUR)
    // 0.1 s doubled to 12.8 s makes 25.5 s and 8 delays, then one each 20 s; three batches.
    expect(counts.requests).toBe(3 * (1 + 8 + Math.floor((1_800 - 25.5) / 20)))
    expect(onProblem).toHaveBeenCalledTimes(counts.requests)
    expect(logger.warn.mock.calls.length).toBeGreaterThan(80)
    expect(logger.warn.mock.calls.length).toBeLessThanOrEqual(181)
  })

  it('has sent everything 20 s after it is back, and leaves neither a timer nor a listener behind', async () => {
    const { sender, state } = setUp()
    const { signal } = new AbortController()
    state.isDown = true
    const sent = sender.send(keys(25), signal)
    await vi.advanceTimersByTimeAsync(HALF_AN_HOUR)
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([3, 3])
    state.isDown = false
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await sent).toMatchObject({ accepted: { length: 25 }, unsent: [] })
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0])
  })

  it('starts again with short delays in the next outage', async () => {
    const { sender, state, counts } = setUp()
    for (let outage = 0; outage < 2; outage++) {
      state.isDown = true
      const sent = sender.send(keys(1))
      await vi.advanceTimersByTimeAsync(60_000)
      state.isDown = false
      await vi.advanceTimersByTimeAsync(20_000)
      await sent
      state.isDown = true
      counts.requests = 0
      const controller = new AbortController()
      const next = sender.send(keys(1), controller.signal)
      await vi.advanceTimersByTimeAsync(1_500)
      expect(counts.requests).toBe(5)
      controller.abort()
      await next
    }
  })

  it('gives everything back at once when it is reported to stop', async () => {
    const { sender, state, counts, onProblem } = setUp()
    const controller = new AbortController()
    state.isDown = true
    const sent = sender.send(keys(25), controller.signal)
    await vi.advanceTimersByTimeAsync(60_000)
    const { requests } = counts
    controller.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(await sent).toMatchObject({ accepted: [], unsent: { length: 25 } })
    expect([counts.requests, vi.getTimerCount()]).toEqual([requests, 0])
    expect(onProblem).toHaveBeenCalledTimes(requests)
  })
})

describe('requests to a queue', () => {
  it('are 8 at once over all calls of a sender, and the rest waits', async () => {
    const { sender, state, counts } = setUp()
    state.until = new Promise(() => {})
    void sender.send(keys(70))
    void sender.send(keys(70))
    await vi.advanceTimersByTimeAsync(1_000)
    expect([counts.requests, counts.peak]).toEqual([8, 8])
  })

  it('that wait for their turn are not made once the sender is reported to stop', async () => {
    const { sender, state, counts } = setUp()
    const controller = new AbortController()
    const gate = Promise.withResolvers<void>()
    state.until = gate.promise
    const first = sender.send(keys(80))
    await vi.advanceTimersByTimeAsync(0)
    const waiting = sender.send(keys(10), controller.signal)
    controller.abort()
    gate.resolve()
    expect(await waiting).toMatchObject({ accepted: [], unsent: { length: 10 } })
    expect(await first).toMatchObject({ accepted: { length: 80 } })
    expect(counts.requests).toBe(8)
  })

  it('are done where the answer lists no failures, as AWS’ own answers do', async () => {
    const { sender, received, state, counts, logger } = setUp()
    state.failed = undefined
    expect(await sender.send(keys(1))).toMatchObject({ accepted: { length: 1 } })
    await received.delete(['handle'])
    await received.postpone([{ receiptHandle: 'handle', seconds: 1 }])
    expect([counts.requests, logger.warn.mock.calls]).toEqual([3, []])
  })

  it('are made again after the delays that were asked for', async () => {
    const { sender, received, state, counts } = setUp({ backoff: { baseMs: 60_000, capMs: 60_000 } })
    state.isDown = true
    void sender.send(keys(1))
    void received.delete(['handle'])
    void received.postpone([{ receiptHandle: 'handle', seconds: 1 }])
    await vi.advanceTimersByTimeAsync(59_000)
    expect(counts.requests).toBe(3)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(counts.requests).toBe(6)
  })

  it('to send end with the caller’s signal', async () => {
    const { sender, signals } = setUp()
    const { signal } = new AbortController()
    await sender.send(keys(25), signal)
    expect(signals).toEqual([signal, signal, signal])
  })

  it.each(['delete', 'postpone'] as const)('to %s are 8 at once for ten thousand messages', async (verb) => {
    const { received, counts } = setUp()
    const handles = Array.from({ length: 10_000 }, (_, index) => `handle-${index}`)
    await (verb === 'delete'
      ? received.delete(handles)
      : received.postpone(handles.map((receiptHandle) => ({ receiptHandle, seconds: 1 }))))
    expect([counts.requests, counts.peak]).toEqual([1_000, 8])
  })

  it.each(['delete', 'postpone'] as const)(
    'to %s are five for a message, and end with the caller’s signal',
    async (verb) => {
      const { received, state, counts, signals } = setUp()
      const { signal } = new AbortController()
      state.isDown = true
      const run = (): Promise<void> =>
        verb === 'delete'
          ? received.delete(['handle'], signal)
          : received.postpone([{ receiptHandle: 'handle', seconds: 1 }], signal)
      const refused = expect(run()).rejects.toThrow(`failed to ${verb} messages of ${QUEUE}: 1 of 1`)
      await vi.advanceTimersByTimeAsync(60_000)
      await refused
      expect(counts.requests).toBe(5)
      expect(new Set(signals)).toEqual(new Set([signal]))
      state.isDown = false
      await run()
      expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0])
    },
  )
})
