import type { Message } from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { gatherBatch, type ReceiveRequest } from './event-source-batch.ts'

/** A queue whose messages arrive at given times, in milliseconds from now. */
function queueOf(arrivals: readonly number[], signal?: AbortSignal) {
  const beganAt = performance.now()
  const waiting = arrivals.map((at, index) => ({
    at,
    message: { MessageId: `m${index}` },
  }))
  const requests: ReceiveRequest[] = []
  const take = (maxMessages: number): Message[] => {
    const visible = waiting.filter(({ at }) => at <= performance.now() - beganAt).slice(0, maxMessages)
    for (const item of visible) waiting.splice(waiting.indexOf(item), 1)
    return visible.map(({ message }) => message)
  }
  const receive = async (request: ReceiveRequest): Promise<Message[]> => {
    requests.push(request)
    const endsAt = performance.now() + request.waitSeconds * 1000
    for (;;) {
      const messages = take(request.maxMessages)
      if (messages.length > 0 || signal?.aborted || performance.now() >= endsAt) return messages
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  return { receive, requests, elapsed: () => performance.now() - beganAt }
}

const times = (count: number, at: number): number[] => Array.from({ length: count }, () => at)

describe('gatherBatch', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  async function gather(
    queue: ReturnType<typeof queueOf>,
    batchSize: number,
    batchWindowSeconds: number,
    signal?: AbortSignal,
  ) {
    const gathering = gatherBatch({
      receive: queue.receive,
      batchSize,
      batchWindowSeconds,
      signal: signal ?? new AbortController().signal,
    }).then((batch) => ({ ids: batch.map(({ MessageId }) => MessageId), elapsedMs: queue.elapsed() }))
    await vi.advanceTimersByTimeAsync(400_000)
    return gathering
  }

  it('takes what the first receive brings when there is no window', async () => {
    const queue = queueOf([...times(3, 500), 600])
    expect(await gather(queue, 10, 0)).toEqual({ ids: ['m0', 'm1', 'm2'], elapsedMs: 500 })
    expect(queue.requests).toEqual([{ maxMessages: 10, waitSeconds: 20 }])
  })

  it('asks for no more than the batch may hold', async () => {
    const queue = queueOf(times(30, 0))
    expect((await gather(queue, 3, 0)).ids).toHaveLength(3)
    const larger = queueOf(times(30, 0))
    expect((await gather(larger, 25, 1)).ids).toHaveLength(25)
    expect(larger.requests.map(({ maxMessages }) => maxMessages)).toEqual([10, 10, 5])
  })

  it('closes a full batch before its window is over', async () => {
    const queue = queueOf([...times(10, 0), ...times(10, 700), 5000])
    const { ids, elapsedMs } = await gather(queue, 20, 60)
    expect(ids).toHaveLength(20)
    expect(elapsedMs).toBe(700)
  })

  it('closes its window that long after the first message, not after the first receive', async () => {
    const { ids, elapsedMs } = await gather(queueOf([3000, 3900, 4900, 5100]), 100, 2)
    expect(ids).toEqual(['m0', 'm1', 'm2'])
    expect(elapsedMs).toBe(5000)
  })

  it('is empty after a long poll without messages', async () => {
    expect(await gather(queueOf([]), 10, 5)).toEqual({ ids: [], elapsedMs: 20_000 })
  })

  it('closes at once when the signal aborts', async () => {
    const abort = new AbortController()
    setTimeout(() => abort.abort(), 1500)
    const queue = queueOf([0], abort.signal)
    expect(await gather(queue, 100, 60, abort.signal)).toEqual({ ids: ['m0'], elapsedMs: 1500 })
  })

  it('holds a message that comes twice once, with its newest receipt handle', async () => {
    const receive = vi
      .fn<(request: ReceiveRequest) => Promise<Message[]>>()
      .mockResolvedValueOnce([{ MessageId: 'a', ReceiptHandle: 'old' }])
      .mockResolvedValueOnce([{ MessageId: 'a', ReceiptHandle: 'new' }, { MessageId: 'b' }])
    const batch = await gatherBatch({
      receive,
      batchSize: 2,
      batchWindowSeconds: 5,
      signal: new AbortController().signal,
    })
    expect(batch).toEqual([{ MessageId: 'a', ReceiptHandle: 'new' }, { MessageId: 'b' }])
  })
})
