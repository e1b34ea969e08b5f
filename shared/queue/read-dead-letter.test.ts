import type { Message } from '@aws-sdk/client-sqs'
import { describe, expect, it } from 'vitest'
import { encodeMessage } from './message.ts'
import { readDeadLetter } from './read-dead-letter.ts'

const KEY = { cluster: 'east', namespace: 'shop', service: 'cart' }
const SENT = Date.parse('2026-01-02T03:04:05Z')

const letter = (
  attributes: Readonly<Record<string, string>>,
  more: Partial<Message> = {},
): ReturnType<typeof readDeadLetter> =>
  readDeadLetter({
    MessageId: 'letter-1',
    ReceiptHandle: 'handle-1',
    Body: encodeMessage(KEY),
    Attributes: { SentTimestamp: String(SENT) },
    MessageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
    ),
    ...more,
  })

describe('a letter', () => {
  it('of ours is read with its story', () => {
    const story = {
      class: 'Forbidden',
      reason: 'no',
      attempts: '12',
      messageId: 'message-1',
      firstSent: '2026-01-01T00:00:00.000Z',
      sourceQueueArn: 'arn:aws:sqs:us-east-1:0:live',
    }
    expect(letter(story)).toEqual({
      id: 'letter-1',
      receiptHandle: 'handle-1',
      messageId: 'message-1',
      message: KEY,
      failureClass: 'Forbidden',
      reason: 'no',
      attempts: 12,
      firstSent: Date.parse('2026-01-01T00:00:00Z'),
      sentTimestamp: SENT,
      sourceQueueArn: 'arn:aws:sqs:us-east-1:0:live',
    })
  })

  it('of somebody else names no class that a terminal would obey, and no queue by an address', () => {
    const read = letter({ class: '\u009b2JForbidden', sourceQueueArn: 'https://a.example/1/live' })
    expect(read).toMatchObject({ failureClass: 'Unfinished', sourceQueueArn: undefined })
  })

  it('that the queue moved by itself tells so, by the time and the queue that SQS knows', () => {
    const Attributes = {
      SentTimestamp: String(SENT),
      DeadLetterQueueSourceArn: 'arn:aws:sqs:us-east-1:0:sweep',
    }
    const read = letter({}, { Attributes })
    expect(read).toMatchObject({
      messageId: 'letter-1',
      message: KEY,
      failureClass: 'Unfinished',
      reason: expect.stringContaining('after its last receive'),
      firstSent: SENT,
      sentTimestamp: SENT,
      sourceQueueArn: 'arn:aws:sqs:us-east-1:0:sweep',
    })
    expect(read.attempts).toBeUndefined()
  })

  it('that is no message has no key, and says why unless its writer did', () => {
    const read = letter({}, { Body: 'hunter2' })
    expect(read).toMatchObject({
      failureClass: 'MalformedMessage',
      reason: expect.stringContaining('not JSON'),
    })
    expect(read.message).toBeUndefined()
    expect(JSON.stringify(read)).not.toContain('hunter2')
    expect(letter({ class: 'Other', reason: 'because' }, { Body: '{}' })).toMatchObject({
      failureClass: 'Other',
      reason: 'because',
    })
  })

  it('with attributes of somebody else is read as far as they can be', () => {
    const read = letter({ attempts: 'many', firstSent: 'once' })
    expect(read.attempts).toBeUndefined()
    expect(read.firstSent).toBe(SENT)
  })

  it('without anything is read all the same', () => {
    const read = readDeadLetter({})
    expect(read).toMatchObject({ id: '', receiptHandle: '', failureClass: 'MalformedMessage', firstSent: 0 })
    expect(read.sourceQueueArn).toBeUndefined()
  })
})
