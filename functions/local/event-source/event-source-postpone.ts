import type { Message } from '@aws-sdk/client-sqs'
import type { ReceivedMessages } from '../../../shared/queue/index.ts'
import type { Log } from '../../../shared/telemetry/index.ts'

export interface PostponeOptions {
  readonly received: ReceivedMessages
  readonly queueUrl: string
  readonly logger: Log
}

/** Changes the visibility timeout of messages, in seconds from now; 0 makes them visible. Never fails. */
export type Postpone = (
  messages: readonly Message[],
  secondsOf: (message: Message) => number,
) => Promise<void>

export function createPostpone({ received, queueUrl, logger }: PostponeOptions): Postpone {
  return async (messages, secondsOf) => {
    if (messages.length === 0) return
    try {
      const changes = messages.map((message) => ({
        receiptHandle: handleOf(message),
        seconds: secondsOf(message),
      }))
      await received.postpone(changes)
    } catch (err) {
      logger.warn(
        { err, queueUrl },
        'failed to return messages to the queue: they come back after their visibility timeout',
      )
    }
  }
}

export const handleOf = ({ ReceiptHandle = '' }: Message): string => ReceiptHandle
