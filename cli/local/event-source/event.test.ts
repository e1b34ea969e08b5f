import { describe, expect, it } from 'vitest'
import { toEvent } from './invoke.ts'

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
      Attributes: attributes,
      MessageAttributes: {
        class: { DataType: 'String', StringValue: 'X' },
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
            class: { stringValue: 'X', dataType: 'String' },
          },
          md5OfBody: 'md5',
          eventSource: 'aws:sqs',
          eventSourceARN: ARN,
          awsRegion: 'eu-west-1',
        },
      ],
    })
  })
})
