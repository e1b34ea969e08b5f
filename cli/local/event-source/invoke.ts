import { randomUUID } from 'node:crypto'
import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs'
import type { Context, SQSEvent, SQSMessageAttribute, SQSRecord } from 'aws-lambda'
import * as v from 'valibot'
import { describeIssues, object, safeParse } from '../../../shared/schema/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'

export interface Invocation {
  readonly handler: (event: SQSEvent, context: Context) => Promise<unknown>
  readonly queueArn: string
  readonly functionTimeoutSeconds: number
  readonly logger: Log
}

const FUNCTION_NAME = 'reconcile'

class FunctionTimeoutError extends Error {
  override readonly name = 'FunctionTimeoutError'
}

/**
 * Invokes the function with a batch and returns the ids of the messages that failed: all of them when the
 * function throws, takes too long or answers in a form that Lambda does not accept. Never rejects. A function
 * that took too long runs on, as there is no sandbox to end; its answer no longer counts.
 */
export async function invokeFunction(
  batch: readonly Message[],
  { handler, queueArn, functionTimeoutSeconds, logger }: Invocation,
): Promise<ReadonlySet<string>> {
  const messageIds = new Set(batch.map(({ MessageId = '' }) => MessageId))
  const timeoutMs = functionTimeoutSeconds * 1000
  const { promise: timedOut, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new FunctionTimeoutError(`the function timed out after ${functionTimeoutSeconds} s`)),
    timeoutMs,
  )
  try {
    const answer = handler(toEvent(batch, queueArn), createContext(FUNCTION_NAME, timeoutMs))
    return failedMessageIds(await Promise.race([answer, timedOut]), messageIds)
  } catch (err) {
    logger.error(
      { err, messages: batch.length },
      'failed to invoke the function: the whole batch goes back to the queue',
    )
    return messageIds
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
  const { Attributes: attributes = {}, MD5OfMessageAttributes: md5OfMessageAttributes } = message
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
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, toAttribute(value)]),
    ),
    md5OfBody: message.MD5OfBody ?? '',
    md5OfMessageAttributes,
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[REGION_PART] ?? '',
  }
}

function toAttribute({ DataType, StringValue, BinaryValue }: MessageAttributeValue): SQSMessageAttribute {
  return {
    stringValue: StringValue,
    binaryValue: BinaryValue && Buffer.from(BinaryValue).toString('base64'),
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType ?? 'String',
  }
}

/** Creates the context of one invocation that may take `timeoutMs` from now. */
export function createContext(functionName: string, timeoutMs: number): Context {
  const endsAt = performance.now() + timeoutMs
  // Node 24's Lambda runtime has no callbacks; the type still asks for these.
  const unsupported = (): never => {
    throw new Error('callbacks are not supported: return a promise')
  }
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    memoryLimitInMB: '512',
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(endsAt - performance.now())),
    done: unsupported,
    fail: unsupported,
    succeed: unsupported,
  }
}

/** An absent or empty list, or no response at all, means that every message succeeded. */
const responseSchema = v.nullish(
  object({
    batchItemFailures: v.nullish(v.array(object({ itemIdentifier: v.pipe(v.string(), v.minLength(1)) }))),
  }),
)

/** A response that cannot be trusted; Lambda then takes every message of the batch for failed. */
export class InvalidBatchResponseError extends Error {
  override readonly name = 'InvalidBatchResponseError'
}

/**
 * Returns the ids of the messages that a partial batch response reports as failed, by Lambda's rules for
 * `ReportBatchItemFailures`. Throws {@link InvalidBatchResponseError} for a malformed response, an empty
 * identifier and an identifier that is not in the batch.
 */
export function failedMessageIds(response: unknown, messageIds: ReadonlySet<string>): ReadonlySet<string> {
  const parsed = safeParse(responseSchema, response)
  if (!parsed.success) {
    throw new InvalidBatchResponseError(`failed to read the batch response: ${describeIssues(parsed.issues)}`)
  }
  const failed = new Set(parsed.data?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier))
  const unknown = failed.difference(messageIds)
  if (unknown.size > 0) {
    throw new InvalidBatchResponseError(
      `failed to read the batch response: ${unknown.size} identifiers are of no message of the batch`,
    )
  }
  return failed
}
