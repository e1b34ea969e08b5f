import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'

/** A body that no reconcile can use, with what an operator needs to find out where it came from. */
export interface DeadLetter {
  readonly body: string
  /** Class of the error: `MalformedMessageError`. */
  readonly errorClass: string
  readonly reason: string
  /** The id that the message had in the queue that it came from. */
  readonly messageId: string
  /** ARN of the queue that it came from. */
  readonly sourceQueueArn: string
}

export interface DeadLetterSender {
  /** Rejects when the queue did not take the letter within the SDK's attempts: keep the message where it is then. */
  send(letter: DeadLetter, signal?: AbortSignal): Promise<void>
}

export interface DeadLetterSenderOptions {
  readonly client: SQSClient
  readonly queueUrl: string
}

/** An attribute must stay small beside a body of up to 1 MiB. */
const MAX_ATTRIBUTE_LENGTH = 512
/** SQS refuses what XML 1.0 cannot carry, and lone surrogates with it. */
const NOT_IN_AN_ATTRIBUTE = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/**
 * Sends bodies as they are to the dead-letter queue, with the message attributes `class`, `reason`, `messageId` and
 * `sourceQueueArn`. What SQS' own redrive moves there carries none of them.
 */
export function createDeadLetterSender({ client, queueUrl }: DeadLetterSenderOptions): DeadLetterSender {
  return {
    async send({ body, errorClass, reason, messageId, sourceQueueArn }, signal) {
      const command = new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        MessageAttributes: {
          class: textAttribute(errorClass),
          reason: textAttribute(reason),
          messageId: textAttribute(messageId),
          sourceQueueArn: textAttribute(sourceQueueArn),
        },
      })
      await client.send(command, { abortSignal: signal })
    },
  }
}

function textAttribute(value: string): { DataType: 'String'; StringValue: string } {
  const text = value.slice(0, MAX_ATTRIBUTE_LENGTH).replaceAll(NOT_IN_AN_ATTRIBUTE, '\uFFFD')
  // SQS refuses empty attributes.
  return { DataType: 'String', StringValue: text === '' ? '-' : text }
}
