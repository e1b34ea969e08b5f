import { BatchRequestTooLong, type BatchResultErrorEntry } from '@aws-sdk/client-sqs'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { type BatchAnswer, type BatchEntry, type BatchRequest, requestAll } from './batch-request.ts'

const logger = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() })
const backoff = { baseMs: 0, capMs: 0 }
const failure = (Id: string, SenderFault: boolean): BatchResultErrorEntry => ({
  Id,
  SenderFault,
  Code: SenderFault ? 'InvalidMessageContents' : 'InternalError',
  Message: 'because',
})
/** Takes all entries but those that failed. */
const answerTo = (
  entries: readonly BatchEntry<unknown>[],
  Failed: BatchResultErrorEntry[] = [],
): BatchAnswer => ({
  Successful: entries.flatMap(({ id: Id }) => (Failed.some((failed) => failed.Id === Id) ? [] : [{ Id }])),
  Failed,
})
const taking: BatchRequest<unknown> = async (entries) => answerTo(entries)
const failing =
  (...failed: BatchResultErrorEntry[]): BatchRequest<unknown> =>
  async (entries) =>
    answerTo(entries, failed)

describe('requestAll', () => {
  it('sends at most 10 entries a request, with ids that are distinct within it', async () => {
    const requests: string[][] = []
    const request: BatchRequest<number> = async (entries) => {
      requests.push(entries.map(({ id }) => id))
      return answerTo(entries)
    }
    const items = Array.from({ length: 25 }, (_, index) => index)
    const outcome = await requestAll(items, request, { logger: logger() })
    expect(outcome).toEqual({ accepted: items, rejected: [], unsent: [] })
    expect(requests.map((ids) => ids.length)).toEqual([10, 10, 5])
    for (const ids of requests) expect(new Set(ids).size).toBe(ids.length)
  })

  it('halves a request that is too large for a server, and gives up only what is too large alone', async () => {
    const request = vi.fn<BatchRequest<number>>(async (entries) => {
      if (entries.reduce((sum, { item }) => sum + item, 0) <= 25) return answerTo(entries)
      throw new BatchRequestTooLong({ $metadata: {}, message: 'longer than 25' })
    })
    const outcome = await requestAll([10, 10, 30, 5, 20], request, { logger: logger(), attempts: 1 })
    const rejected = [{ item: 30, code: 'BatchRequestTooLong', reason: 'longer than 25' }]
    expect(outcome).toEqual({ accepted: [10, 10, 5, 20], rejected, unsent: [] })
    expect(request).toHaveBeenCalledTimes(5)
  })

  it('sends nothing when there is nothing to send', async () => {
    const request = vi.fn<BatchRequest<number>>()
    expect(await requestAll([], request, { logger: logger() })).toEqual({
      accepted: [],
      rejected: [],
      unsent: [],
    })
    expect(request).not.toHaveBeenCalled()
  })

  it('sends only what failed again', async () => {
    const request = vi
      .fn<BatchRequest<string>>()
      .mockImplementationOnce(failing(failure('1', false)))
      .mockImplementationOnce(taking)
    const outcome = await requestAll(['a', 'b', 'c'], request, { logger: logger(), backoff })
    expect(outcome.accepted).toEqual(['a', 'c', 'b'])
    expect(request.mock.calls[1]?.[0]).toEqual([{ id: '0', item: 'b' }])
  })

  it('sends again what the answer does not name, as one of another server that knows nothing of it', async () => {
    const log = logger()
    const request = vi
      .fn<BatchRequest<string>>()
      .mockResolvedValueOnce({})
      .mockResolvedValueOnce({ Successful: [{ Id: '1' }] })
      .mockImplementationOnce(taking)
    const outcome = await requestAll(['a', 'b'], request, { logger: log, backoff })
    expect(outcome).toEqual({ accepted: ['b', 'a'], rejected: [], unsent: [] })
    expect(request.mock.calls[2]?.[0]).toEqual([{ id: '0', item: 'a' }])
    expect(log.warn.mock.calls.map(([fields]) => fields)).toEqual([
      { code: 'not in the answer', attempt: 1, pending: 2 },
      { code: 'not in the answer', attempt: 2, pending: 1 },
    ])
  })

  it('reports entries that failed by the sender’s fault and does not send them again', async () => {
    const request = vi.fn<BatchRequest<string>>().mockImplementation(failing(failure('0', true)))
    const outcome = await requestAll(['a', 'b'], request, { logger: logger(), backoff })
    expect(outcome).toEqual({
      accepted: ['b'],
      rejected: [{ item: 'a', code: 'InvalidMessageContents', reason: 'because' }],
      unsent: [],
    })
    expect(request).toHaveBeenCalledOnce()
  })

  it('tries a request that failed as a whole again and logs why', async () => {
    const log = logger()
    const err = new Error('connect ECONNREFUSED')
    const request = vi.fn<BatchRequest<string>>().mockRejectedValueOnce(err).mockImplementationOnce(taking)
    expect((await requestAll(['a'], request, { logger: log, backoff })).accepted).toEqual(['a'])
    expect(log.warn).toHaveBeenCalledExactlyOnceWith({ err, attempt: 1, pending: 1 }, expect.any(String))
  })

  it('reports once of a request that the queue refused in part, by the code of its own fault', async () => {
    const log = logger()
    const onProblem = vi.fn()
    const request = vi
      .fn<BatchRequest<string>>()
      .mockImplementationOnce(failing(failure('0', true), failure('1', false), failure('2', false)))
      .mockImplementationOnce(taking)
    const outcome = await requestAll(['a', 'b', 'c', 'd'], request, { logger: log, backoff, onProblem })
    expect(outcome).toMatchObject({ accepted: ['d', 'b', 'c'], rejected: [{ item: 'a' }] })
    expect(log.warn.mock.calls).toEqual([
      [{ code: 'InternalError', attempt: 1, pending: 2 }, 'the queue rejected entries'],
    ])
    expect(onProblem).toHaveBeenCalledOnce()
  })

  it('reports no problem where entries failed by the sender’s fault alone, or it was told to stop', async () => {
    const log = logger()
    const onProblem = vi.fn()
    const options = { logger: log, backoff, onProblem }
    await requestAll(['a'], failing(failure('0', true)), options)
    const abort = new AbortController()
    const cut: BatchRequest<string> = async () => {
      abort.abort()
      throw new Error('aborted')
    }
    await requestAll(['a'], cut, { ...options, signal: abort.signal })
    expect([log.warn.mock.calls, onProblem.mock.calls]).toEqual([[], []])
  })

  it('gives up after the attempts allowed', async () => {
    const request = vi.fn<BatchRequest<string>>().mockRejectedValue(new Error('down'))
    const outcome = await requestAll(['a'], request, { logger: logger(), backoff, attempts: 3 })
    expect(outcome).toEqual({ accepted: [], rejected: [], unsent: ['a'] })
    expect(request).toHaveBeenCalledTimes(3)
  })

  it('stops waiting when the signal aborts', async () => {
    const abort = new AbortController()
    const request: BatchRequest<string> = async (entries) => {
      queueMicrotask(() => abort.abort())
      return answerTo(entries, [failure('0', false)])
    }
    const options = { logger: logger(), backoff: { baseMs: 1e8, capMs: 1e8 }, signal: abort.signal }
    expect((await requestAll(['a', 'b'], request, options)).unsent).toEqual(['a'])
  })

  it('sends nothing when the signal has aborted before', async () => {
    const request = vi.fn<BatchRequest<string>>()
    const outcome = await requestAll(['a'], request, { logger: logger(), signal: AbortSignal.abort() })
    expect(outcome.unsent).toEqual(['a'])
    expect(request).not.toHaveBeenCalled()
  })

  it('puts every item in exactly one list for any mix of answers', async () => {
    const answers = fc.infiniteStream(fc.constantFrom('accepted', 'rejected', 'transient', 'down'))
    await fc.assert(
      fc.asyncProperty(
        fc.nat(35),
        fc.integer({ min: 1, max: 4 }),
        answers,
        async (count, attempts, answer) => {
          const request: BatchRequest<number> = async (entries) => {
            const results = entries.map(({ id }) => ({ id, result: answer.next().value }))
            if (results.some(({ result }) => result === 'down')) throw new Error('down')
            const failed = results.filter(({ result }) => result !== 'accepted')
            return answerTo(
              entries,
              failed.map(({ id, result }) => failure(id, result === 'rejected')),
            )
          }
          const items = Array.from({ length: count }, (_, index) => index)
          const { accepted, rejected, unsent } = await requestAll(items, request, {
            logger: logger(),
            backoff,
            attempts,
          })
          const seen = [...accepted, ...rejected.map(({ item }) => item), ...unsent]
          expect(seen.sort((a, b) => a - b)).toEqual(items)
        },
      ),
      { numRuns: 50 },
    )
  })
})
