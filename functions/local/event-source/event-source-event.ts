import { randomUUID } from 'node:crypto'
import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs'
import type { Context, SQSEvent, SQSMessageAttribute, SQSRecord } from 'aws-lambda'

/** `arn:aws:sqs:REGION:ACCOUNT:NAME`; its region is the fourth part. */
const REGION_PART = 3

/**
 * Makes the event that Lambda makes of received messages. They must have been received with all attributes.
 */
export function toEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map((message) => toRecord(message, queueArn)) }
}

function toRecord(message: Message, queueArn: string): SQSRecord {
  const { Attributes: attributes = {}, MD5OfMessageAttributes } = message
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
    ...(MD5OfMessageAttributes !== undefined && { md5OfMessageAttributes: MD5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[REGION_PART] ?? '',
  }
}

function toAttribute({ DataType, StringValue, BinaryValue }: MessageAttributeValue): SQSMessageAttribute {
  return {
    ...(StringValue !== undefined && { stringValue: StringValue }),
    ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
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
