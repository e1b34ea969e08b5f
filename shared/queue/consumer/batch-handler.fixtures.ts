import type { Context, SQSRecord } from 'aws-lambda'
import { vi } from 'vitest'
import type { DeadLetter, KeyMessage, VisibilityChange } from '../index.ts'
import { createHandler, type HandlerSettings, type Reconcile } from './batch-handler.ts'

export const FUNCTION_TIMEOUT_MS = 60_000
export const keyBody = (service: string, cluster = 'prod'): string =>
  JSON.stringify({ v: 1, cluster, namespace: 'shop', service })

export const record = (messageId: string, body: string, receiveCount = 1): SQSRecord => ({
  messageId,
  receiptHandle: `handle-${messageId}`,
  body,
  attributes: {
    ApproximateReceiveCount: String(receiveCount),
    SentTimestamp: '1000',
    SenderId: 'relay',
    ApproximateFirstReceiveTimestamp: '2000',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:live',
  awsRegion: 'us-east-1',
})

export function contextOf(timeoutMs: number): Context {
  const endsAt = Date.now() + timeoutMs
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName: 'reconcile',
    functionVersion: '1',
    invokedFunctionArn: 'arn',
    memoryLimitInMB: '512',
    awsRequestId: 'request',
    logGroupName: 'group',
    logStreamName: 'stream',
    getRemainingTimeInMillis: () => endsAt - Date.now(),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  }
}

export interface Overrides {
  readonly reconcile?: Reconcile
  readonly sendDeadLetter?: (letter: DeadLetter) => Promise<void>
  readonly postpone?: (changes: readonly VisibilityChange[]) => Promise<void>
  readonly settings?: HandlerSettings
}

/** Makes a handler with spies for all that it works with. */
export function setUp({ settings, ...overrides }: Overrides = {}) {
  const reconcile = vi.fn<Reconcile>(overrides.reconcile ?? (async () => {}))
  const sendDeadLetter = vi.fn(overrides.sendDeadLetter ?? (async () => {}))
  const onDeadLetter = vi.fn<(letter: DeadLetter) => void>()
  const onLeft = vi.fn<(key: KeyMessage) => void>()
  const postpone = vi.fn(overrides.postpone ?? (async () => {}))
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const handler = createHandler({
    reconcile,
    deadLetters: { send: sendDeadLetter },
    visibility: { postpone },
    logger,
    onDeadLetter,
    onLeft,
    ...(settings && { settings }),
  })
  const handle = async (Records: SQSRecord[], timeoutMs = FUNCTION_TIMEOUT_MS): Promise<string[]> => {
    const response = await handler({ Records }, contextOf(timeoutMs))
    return response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
  }
  return { handler, handle, reconcile, sendDeadLetter, postpone, logger, onDeadLetter, onLeft }
}
