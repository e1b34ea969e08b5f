import type { Context, SQSEvent } from 'aws-lambda'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Invocation, invokeFunction } from './invoke.ts'

const batch = [{ MessageId: 'a' }, { MessageId: 'b' }]
const everyMessage = new Set(['a', 'b'])

describe('invokeFunction', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  function invoke(handler: Invocation['handler']) {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const queueArn = 'arn:aws:sqs:us-east-1:000000000000:live'
    return {
      logger,
      failed: invokeFunction(batch, { handler, queueArn, functionTimeoutSeconds: 60, logger }),
    }
  }

  it('gives the function an event of the batch and a context with its time', async () => {
    const handler = vi.fn(async (_event: SQSEvent, context: Context): Promise<undefined> => {
      expect(context.getRemainingTimeInMillis()).toBe(60_000)
      vi.advanceTimersByTime(59_000)
      expect(context.getRemainingTimeInMillis()).toBe(1_000)
    })
    expect(await invoke(handler).failed).toEqual(new Set())
    expect(handler.mock.calls[0]?.[0].Records.map(({ messageId }) => messageId)).toEqual(['a', 'b'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('gives the messages that the function reports as failed', async () => {
    const batchItemFailures = [{ itemIdentifier: 'b' }, { itemIdentifier: 'b' }]
    expect(await invoke(async () => ({ batchItemFailures })).failed).toEqual(new Set(['b']))
  })

  const err = new Error('out of memory')
  it.each([
    ['throws', () => Promise.reject(err)],
    [
      'throws before it returns a promise',
      () => {
        throw err
      },
    ],
  ])('takes the whole batch for failed when the function %s', async (_, handler) => {
    const { failed, logger } = invoke(handler)
    expect(await failed).toEqual(everyMessage)
    expect(logger.error).toHaveBeenCalledWith({ err, messages: 2 }, expect.any(String))
  })

  it('takes the whole batch for failed when the function takes longer than its timeout', async () => {
    const { failed, logger } = invoke(() => new Promise(() => {}))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await failed).toEqual(everyMessage)
    const err = expect.objectContaining({ message: 'the function timed out after 60 s' })
    expect(logger.error).toHaveBeenCalledWith({ err, messages: 2 }, expect.any(String))
  })
})
