import { describe, expect, it, vi } from 'vitest'
import { createContext, toEvent } from './invoke.ts'

const ARN = 'arn:aws:sqs:eu-west-1:123456789012:live'

describe('toEvent', () => {
  it('makes a record of every message as Lambda does', () => {
    const attributes = {
      ApproximateReceiveCount: '3',
      SentTimestamp: '1000',
      SenderId: 'AIDA',
      ApproximateFirstReceiveTimestamp: '2000',
      MessageGroupId: 'prod',
    }
    const message = {
      MessageId: 'm-1',
      ReceiptHandle: 'handle',
      Body: 'body',
      MD5OfBody: 'md5',
      MD5OfMessageAttributes: 'md5 of attributes',
      Attributes: attributes,
      MessageAttributes: {
        class: { DataType: 'String', StringValue: 'X' },
        blob: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2, 3]) },
      },
    }
    expect(toEvent([message], ARN)).toEqual({
      Records: [
        {
          messageId: 'm-1',
          receiptHandle: 'handle',
          body: 'body',
          attributes,
          messageAttributes: {
            class: { stringValue: 'X', stringListValues: [], binaryListValues: [], dataType: 'String' },
            blob: { binaryValue: 'AQID', stringListValues: [], binaryListValues: [], dataType: 'Binary' },
          },
          md5OfBody: 'md5',
          md5OfMessageAttributes: 'md5 of attributes',
          eventSource: 'aws:sqs',
          eventSourceARN: ARN,
          awsRegion: 'eu-west-1',
        },
      ],
    })
  })
})

describe('createContext', () => {
  it('has an id of its own, and counts the remaining time down to 0', () => {
    vi.useFakeTimers()
    try {
      const context = createContext('reconcile', 60_000)
      expect(context.awsRequestId).not.toBe(createContext('reconcile', 1).awsRequestId)
      expect(context.getRemainingTimeInMillis()).toBe(60_000)
      vi.advanceTimersByTime(59_000)
      expect(context.getRemainingTimeInMillis()).toBe(1000)
      vi.advanceTimersByTime(2000)
      expect(context.getRemainingTimeInMillis()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
