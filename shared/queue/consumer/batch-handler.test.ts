import type { SQSEvent } from 'aws-lambda'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CircuitOpenError, ForbiddenError } from '../../kubernetes/index.ts'
import { contextOf, FUNCTION_TIMEOUT_MS, keyBody, record, setUp } from './batch-handler.fixtures.ts'
import { createHandler } from './batch-handler.ts'

const never = (): Promise<never> => new Promise(() => {})
const forbidden = new ForbiddenError('no', 403, {})

describe('createHandler', () => {
  it('reconciles every key of a batch and reports no failure', async () => {
    const { handle, reconcile, postpone } = setUp()
    expect(await handle([record('1', keyBody('cart')), record('2', keyBody('till'))])).toEqual([])
    expect(reconcile.mock.calls.map(([message]) => message)).toEqual([
      { cluster: 'prod', namespace: 'shop', service: 'cart', messageIds: ['1'] },
      { cluster: 'prod', namespace: 'shop', service: 'till', messageIds: ['2'] },
    ])
    expect(postpone).not.toHaveBeenCalled()
  })

  it('reconciles a key once however many messages ask for it, and fails all of them with it', async () => {
    const { handle, reconcile, postpone } = setUp({ reconcile: () => Promise.reject(new Error('409')) })
    const failed = await handle([record('1', keyBody('cart'), 1), record('2', keyBody('cart'), 4)])
    expect(reconcile).toHaveBeenCalledOnce()
    expect(reconcile.mock.calls[0]?.[1]).toMatchObject({ receiveCount: 4 })
    expect(failed).toEqual(['1', '2'])
    expect(postpone.mock.calls[0]?.[0]).toEqual([
      { receiptHandle: 'handle-1', seconds: 8 },
      { receiptHandle: 'handle-2', seconds: 8 },
    ])
  })

  it('reports failures even when they cannot be postponed', async () => {
    const { handle, logger } = setUp({
      reconcile: () => Promise.reject(new Error('down')),
      postpone: () => Promise.reject(new Error('queue is down too')),
    })
    expect(await handle([record('1', keyBody('a'))])).toEqual(['1'])
    expect(logger.warn).toHaveBeenCalledWith(expect.objectContaining({ messages: 1 }), expect.any(String))
  })

  it('logs what is not worth another attempt louder, with the class of the error', async () => {
    const { handle, logger } = setUp({ reconcile: () => Promise.reject(forbidden) })
    expect(await handle([record('1', keyBody('a'))])).toEqual(['1'])
    expect(logger.error).toHaveBeenCalledWith(
      expect.objectContaining({
        errorClass: 'ForbiddenError',
        class: 'Forbidden',
        cluster: 'prod',
        service: 'a',
        receiveCount: 1,
      }),
      expect.any(String),
    )
  })

  describe('given malformed messages', () => {
    it('moves them to the dead letters, with the reason, and does not report them', async () => {
      const { handle, sendDeadLetter, logger } = setUp()
      expect(await handle([record('1', '{"v":0}'), record('2', keyBody('a'))])).toEqual([])
      expect(sendDeadLetter.mock.calls.map(([letter]) => letter)).toEqual([
        {
          body: '{"v":0}',
          failureClass: 'MalformedMessage',
          reason: expect.stringContaining('v must be 1'),
          attempts: 1,
          sentTimestamp: 1000,
          messageId: '1',
          sourceQueueArn: 'arn:aws:sqs:us-east-1:000000000000:live',
        },
      ])
      expect(logger.error).toHaveBeenCalledWith(
        expect.objectContaining({ messageId: '1', reason: expect.stringContaining('v must be 1') }),
        expect.any(String),
      )
    })

    it('never logs a body', async () => {
      const { handle, logger } = setUp({ sendDeadLetter: () => Promise.reject(new Error('down')) })
      await handle([record('1', 'hunter2'), record('2', '{"v":"hunter2"}')])
      for (const log of Object.values(logger)) expect(JSON.stringify(log.mock.calls)).not.toContain('hunter2')
    })
  })

  it('reports every message when something fails that is no key’s own', async () => {
    const { handler, logger } = setUp()
    handler.before(() => {
      throw new Error('a middleware broke')
    })
    const event: SQSEvent = { Records: [record('1', keyBody('a')), record('2', 'x')] }
    expect(await handler(event, contextOf(FUNCTION_TIMEOUT_MS))).toEqual({
      batchItemFailures: [{ itemIdentifier: '1' }, { itemIdentifier: '2' }],
    })
    const broke = expect.objectContaining({ message: 'a middleware broke' })
    expect(logger.error.mock.calls).toEqual([[{ err: broke, records: 2 }, expect.any(String)]])
  })

  it('reports each batch how much was in it, what failed and how long it took', async () => {
    const { handle, logger } = setUp({
      reconcile: async ({ service }) => {
        if (service === 'bad') throw new Error('500')
      },
    })
    const keys = ['cart', 'cart', 'till', 'bad'].map((service, at) => record(`${at}`, keyBody(service)))
    const before = performance.now()
    await handle([...keys, record('4', 'x')])
    const elapsedMs = performance.now() - before
    expect(logger.info.mock.calls).toEqual([
      [{ messages: 5, keys: 3, malformed: 1, failed: 1, durationMs: expect.any(Number) }, 'handled a batch'],
    ])
    const { durationMs } = logger.info.mock.calls[0]?.[0] ?? {}
    expect(durationMs).toBeGreaterThanOrEqual(0)
    expect(durationMs).toBeLessThanOrEqual(Math.ceil(elapsedMs))
  })

  it('works where nobody asks to be reported dead letters and of keys that are left', async () => {
    const letters: string[] = []
    const handler = createHandler({
      reconcile: ({ cluster }) =>
        Promise.reject(
          cluster === 'down' ? new CircuitOpenError('no answer', 20, undefined) : new Error('500'),
        ),
      deadLetters: { send: async ({ body }) => void letters.push(body) },
      visibility: { postpone: async () => {} },
      logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      settings: { maxReceiveCount: 6 },
    })
    const Records = [
      record('1', keyBody('cart'), 6),
      record('2', 'x'),
      record('3', keyBody('till', 'down'), 6),
    ]
    expect(await handler({ Records }, contextOf(FUNCTION_TIMEOUT_MS))).toEqual({ batchItemFailures: [] })
    expect(letters.toSorted()).toEqual(['x', keyBody('cart')].toSorted())
  })

  it('runs a bounded number of keys of each cluster at once, clusters beside each other', async () => {
    const running = new Map<string, number>()
    const peaks = new Map<string, number>()
    let total = 0
    let totalPeak = 0
    const { handle } = setUp({
      settings: { concurrencyPerCluster: 2 },
      reconcile: async ({ cluster }) => {
        running.set(cluster, (running.get(cluster) ?? 0) + 1)
        peaks.set(cluster, Math.max(peaks.get(cluster) ?? 0, running.get(cluster) ?? 0))
        totalPeak = Math.max(totalPeak, ++total)
        await new Promise(setImmediate)
        running.set(cluster, (running.get(cluster) ?? 0) - 1)
        total--
      },
    })
    const records = ['east', 'west'].flatMap((cluster) =>
      Array.from({ length: 6 }, (_, index) => record(`${cluster}-${index}`, keyBody(`s${index}`, cluster))),
    )
    expect(await handle(records)).toEqual([])
    expect(Object.fromEntries(peaks)).toEqual({ east: 2, west: 2 })
    expect(totalPeak).toBe(4)
  })

  describe('when the time is nearly over', () => {
    beforeEach(() => {
      vi.useFakeTimers()
    })

    afterEach(() => {
      vi.useRealTimers()
    })

    it('starts no key, aborts the running ones and answers in time', async () => {
      const aborted: string[] = []
      const { handle, reconcile, logger } = setUp({
        settings: { concurrencyPerCluster: 2 },
        reconcile: ({ service }, { signal }) => {
          signal.addEventListener('abort', () => aborted.push(`${service} at ${Date.now() - began}`))
          return never()
        },
      })
      const began = Date.now()
      const handled = handle(['a', 'b', 'c'].map((service) => record(service, keyBody(service))))
      let answeredAt = 0
      void handled.then(() => {
        answeredAt = Date.now() - began
      })
      await vi.advanceTimersByTimeAsync(FUNCTION_TIMEOUT_MS)
      expect(await handled).toEqual(['a', 'b', 'c'])
      expect(aborted).toEqual(['a at 57000', 'b at 57000'])
      expect(reconcile).toHaveBeenCalledTimes(2)
      expect(answeredAt).toBe(58_500)
      expect(logger.warn.mock.calls.map(([{ service, err }]) => [service, err.message])).toEqual([
        ['a', expect.stringMatching(/^not finished before/)],
        ['b', expect.stringMatching(/^not finished before/)],
        ['c', expect.stringMatching(/^not started before/)],
      ])
    })

    it('counts what succeeds in spite of the abort as done', async () => {
      const { handle } = setUp({
        reconcile: (_key, { signal }) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      })
      const handled = handle([record('1', keyBody('a'))])
      await vi.advanceTimersByTimeAsync(FUNCTION_TIMEOUT_MS)
      expect(await handled).toEqual([])
    })

    it('starts nothing when no time is left from the beginning', async () => {
      const { handle, reconcile, sendDeadLetter } = setUp()
      const handled = handle([record('1', keyBody('a')), record('2', 'x')], 0)
      expect(await handled).toEqual(['1', '2'])
      expect(reconcile).not.toHaveBeenCalled()
      expect(sendDeadLetter).not.toHaveBeenCalled()
    })

    it('answers in time when the queue does not answer', async () => {
      const { handle } = setUp({ reconcile: never, postpone: never })
      const handled = handle([record('1', keyBody('a'))])
      await vi.advanceTimersByTimeAsync(FUNCTION_TIMEOUT_MS - 750)
      expect(await handled).toEqual(['1'])
    })

    it('reports a key as failed that ends while the failures are sent back', async () => {
      const endingAt = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms))
      const { handle, postpone } = setUp({ reconcile: endingAt(58_600), postpone: endingAt(200) })
      const handled = handle([record('1', keyBody('a'))])
      await vi.advanceTimersByTimeAsync(FUNCTION_TIMEOUT_MS)
      expect(await handled).toEqual(['1'])
      expect(postpone).toHaveBeenCalledOnce()
    })

    it('leaves no timer behind', async () => {
      const { handle } = setUp()
      await handle([record('1', keyBody('a'))])
      expect(vi.getTimerCount()).toBe(0)
    })

    it('reports and postpones every message exactly once or not at all, for any mix of outcomes', async () => {
      const outcome = fc.constantFrom(
        'success',
        'failure',
        'throw',
        'hang',
        'malformed',
        'refused dead letter',
      )
      const message = fc.record({
        outcome,
        name: fc.integer({ min: 0, max: 5 }),
        cluster: fc.constantFrom('east', 'west'),
      })
      const batches = fc.array(message, { maxLength: 40 })
      await fc.assert(
        fc.asyncProperty(batches, fc.integer({ min: 1, max: 4 }), async (messages, concurrencyPerCluster) => {
          const isMalformed = (kind: string) => kind === 'malformed' || kind === 'refused dead letter'
          const records = messages.map(({ outcome: kind, name, cluster }, index) =>
            record(`m${index}`, isMalformed(kind) ? kind : keyBody(`${kind}-${name}`, cluster)),
          )
          const { handle, postpone, reconcile } = setUp({
            settings: { concurrencyPerCluster },
            reconcile: ({ service }) => {
              if (service.startsWith('throw')) throw new Error('thrown')
              if (service.startsWith('failure')) return Promise.reject(new Error('rejected'))
              return service.startsWith('hang') ? never() : Promise.resolve()
            },
            sendDeadLetter: ({ body }) =>
              body === 'malformed' ? Promise.resolve() : Promise.reject(new Error('full')),
          })
          const handled = handle(records)
          await vi.advanceTimersByTimeAsync(FUNCTION_TIMEOUT_MS)
          const failed = await handled
          expect(new Set(failed).size).toBe(failed.length)
          const started = new Set(reconcile.mock.calls.flatMap(([{ messageIds }]) => messageIds))
          const expected = records
            .map(({ messageId }) => messageId)
            .filter((id, index) => {
              const kind = messages[index]?.outcome ?? ''
              return isMalformed(kind)
                ? kind === 'refused dead letter'
                : kind !== 'success' || !started.has(id)
            })
          expect(new Set(failed)).toEqual(new Set(expected))
          const postponed = postpone.mock.calls.flatMap(([changes]) =>
            changes.map(({ receiptHandle }) => receiptHandle),
          )
          expect(postponed.sort()).toEqual(expected.map((id) => `handle-${id}`).sort())
        }),
        { numRuns: 100 },
      )
    })
  })
})
