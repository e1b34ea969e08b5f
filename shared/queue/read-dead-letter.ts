import type { Message } from '@aws-sdk/client-sqs'
import { MalformedMessageError, NewerMessageError } from './errors.ts'
import { type KeyMessage, readMessage } from './message.ts'

/** A letter as it was received from a dead-letter queue. */
export interface ReceivedLetter {
  /** Its id in the dead-letter queue. */
  readonly id: string
  readonly receiptHandle: string
  /** The id that the message had in its lane; SQS keeps it where it moves a message by itself. */
  readonly messageId: string
  /** Absent when the body is no message: nothing can be done with it. */
  readonly message?: KeyMessage
  /** Present if there is no message because it is one of a later version. */
  readonly isNewer?: true
  readonly failureClass: string
  /** The last error's message. */
  readonly reason: string
  /** Number of receives of the message; absent if it was not recorded. */
  readonly attempts?: number
  /** Time at which the message was sent first, in milliseconds since the epoch. */
  readonly firstSent: number
  /** Time at which the letter was written, or, if SQS moved the message by itself, at which it was sent. */
  readonly sentTimestamp: number
  /** ARN of the queue that it came from; absent if it was not recorded. */
  readonly sourceQueueArn?: string
}

/**
 * The class of messages that SQS itself moved, after the last receive: the function had neither handled them
 * nor written a letter, as it crashed or ran out of time.
 */
export const UNFINISHED = 'Unfinished'
const UNFINISHED_REASON =
  'moved by the queue after its last receive: the function ended without saying why; see its log'

/** Reads a letter of any writer, received with all attributes: a malformed attribute counts as absent. */
export function readDeadLetter({
  MessageId = '',
  ReceiptHandle = '',
  Body = '',
  Attributes = {},
  MessageAttributes = {},
}: Message): ReceivedLetter {
  const text = (name: string, form = /^/): string | undefined => {
    const value = MessageAttributes[name]?.StringValue
    return value !== undefined && form.test(value) ? value : undefined
  }
  const message = readMessage(Body)
  const isMalformed = message instanceof MalformedMessageError
  const sentTimestamp = Number(Attributes.SentTimestamp ?? 0)
  const firstSent = Date.parse(text('firstSent') ?? '')
  const attempts = Number(text('attempts') ?? Number.NaN)
  const sourceQueueArn = text('sourceQueueArn', /^arn:/) ?? Attributes.DeadLetterQueueSourceArn
  return {
    id: MessageId,
    receiptHandle: ReceiptHandle,
    messageId: text('messageId') ?? MessageId,
    failureClass: text('class', /^[A-Za-z]{1,64}$/) ?? (isMalformed ? 'MalformedMessage' : UNFINISHED),
    reason: text('reason') ?? (isMalformed ? message.message : UNFINISHED_REASON),
    firstSent: Number.isNaN(firstSent) ? sentTimestamp : firstSent,
    sentTimestamp,
    message: isMalformed ? undefined : message,
    ...(message instanceof NewerMessageError && { isNewer: true }),
    attempts: Number.isNaN(attempts) ? undefined : attempts,
    sourceQueueArn,
  }
}
