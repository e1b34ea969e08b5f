import { randomUUID } from 'node:crypto'
import type { Message } from '@aws-sdk/client-sqs'
import type { Context, SQSBatchResponse, SQSEvent, SQSMessageAttributeDataType, SQSRecord } from 'aws-lambda'
import type { Log } from '../../../shared/telemetry/index.ts'

export interface Invocation {
  readonly handler: (event: SQSEvent, context: Context) => Promise<SQSBatchResponse | undefined>
  readonly queueArn: string
  readonly functionTimeoutSeconds: number
  readonly logger: Log
}

class FunctionTimeoutError extends Error {
  override readonly name = 'FunctionTimeoutError'
}

/**
 * Invokes the function with a batch and returns the ids of the messages that failed: all of them when the
 * function throws or takes too long, none when it answers nothing. Never rejects. A function that took too
 * long runs on, as there is no sandbox to end; its answer no longer counts.
 */
export async function invokeFunction(
  batch: readonly Message[],
  { handler, queueArn, functionTimeoutSeconds, logger }: Invocation,
): Promise<ReadonlySet<string>> {
  const timeoutMs = functionTimeoutSeconds * 1000
  const { promise: timedOut, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new FunctionTimeoutError(`the function timed out after ${functionTimeoutSeconds} s`)),
    timeoutMs,
  )
  try {
    const answer = handler(toEvent(batch, queueArn), createContext(timeoutMs))
    const { batchItemFailures = [] } = (await Promise.race([answer, timedOut])) ?? {}
    return new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  } catch (err) {
    logger.error(
      { err, messages: batch.length },
      'failed to invoke the function: the whole batch goes back to the queue',
    )
    return new Set(batch.map(({ MessageId = '' }) => MessageId))
  } finally {
    clearTimeout(timer)
  }
}

/** `arn:aws:sqs:REGION:ACCOUNT:NAME`; its region is the fourth part. */
const REGION_PART = 3

/** Makes the event that Lambda makes of messages, which must be received with all attributes. */
export function toEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map((message) => toRecord(message, queueArn)) }
}

function toRecord(message: Message, queueArn: string): SQSRecord {
  const { Attributes: attributes = {}, MessageAttributes = {} } = message
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      ...attributes,
      ApproximateReceiveCount: attributes.ApproximateReceiveCount ?? '1',
      SentTimestamp: attributes.SentTimestamp ?? '0',
      SenderId: attributes.SenderId ?? '',
      ApproximateFirstReceiveTimestamp: attributes.ApproximateFirstReceiveTimestamp ?? '0',
    },
    messageAttributes: Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, { StringValue: stringValue, DataType = 'String' }]) => [
        name,
        { stringValue, dataType: DataType as SQSMessageAttributeDataType },
      ]),
    ),
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[REGION_PART] ?? '',
  }
}

/** Creates the context of one invocation that may take `timeoutMs` from now: what our handlers read of it. */
function createContext(timeoutMs: number): Context {
  const endsAt = performance.now() + timeoutMs
  const read: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'> = {
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(endsAt - performance.now())),
  }
  return read as Context
}
