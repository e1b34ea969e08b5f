import { ownerText, type ServiceKey } from '../changes/index.ts'
import type { QueueClient } from './client.ts'

/** A message that is given up, with what an operator needs to find out why and where it came from. */
export interface DeadLetter {
  readonly body: string
  /** Class from a small closed list, such as `Forbidden`: what to filter by. */
  readonly failureClass: string
  /** The last error's message. */
  readonly reason: string
  /** Absent when the body is no message. */
  readonly key?: ServiceKey
  /** Number of receives. */
  readonly attempts: number
  /** Time at which it was sent first, in milliseconds since the epoch. */
  readonly sentTimestamp: number
  /** The id that the message had in the queue that it came from. */
  readonly messageId: string
  /** ARN of the queue that it came from. */
  readonly sourceQueueArn: string
}

export interface DeadLetterSender {
  /** Rejects if the queue did not accept the letter within the SDK's attempts: keep the message then. */
  send(letter: DeadLetter, signal?: AbortSignal): Promise<void>
}

interface DeadLetterSenderOptions {
  readonly client: QueueClient
  readonly queueUrl: string
}

/** An attribute must stay small beside a body of up to 1 MiB. */
const MAX_ATTRIBUTE_LENGTH = 1024
/** SQS refuses what XML 1.0 cannot carry, and lone surrogates with it. */
const NOT_IN_AN_ATTRIBUTE = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/**
 * Sends bodies as they are to the dead-letter queue, with the message attributes `class`, `reason`, `cluster`
 * and `key` (`namespace/service`; both absent when the body is no message), `attempts`, `firstSent` (RFC
 * 3339), `messageId` and `sourceQueueArn`. What SQS' own redrive moves there carries none of them.
 */
export function createDeadLetterSender({ client, queueUrl }: DeadLetterSenderOptions): DeadLetterSender {
  return {
    async send(letter, signal) {
      const texts = Object.entries(attributesOf(letter)).map(([name, value]) => [name, textAttribute(value)])
      const MessageAttributes = Object.fromEntries(texts)
      await client.sendMessage(
        { QueueUrl: queueUrl, MessageBody: letter.body, MessageAttributes },
        { abortSignal: signal },
      )
    },
  }
}

function attributesOf(letter: DeadLetter): Readonly<Record<string, string>> {
  const { failureClass, reason, key, attempts, sentTimestamp, messageId, sourceQueueArn } = letter
  return {
    class: failureClass,
    reason,
    ...(key && { cluster: key.cluster, key: ownerText(key) }),
    attempts: String(attempts),
    firstSent: new Date(sentTimestamp).toISOString(),
    messageId,
    sourceQueueArn,
  }
}

function textAttribute(value: string): { DataType: 'String'; StringValue: string } {
  const text = value.slice(0, MAX_ATTRIBUTE_LENGTH).replaceAll(NOT_IN_AN_ATTRIBUTE, '\uFFFD')
  // SQS refuses empty attributes.
  return { DataType: 'String', StringValue: text === '' ? '-' : text }
}
