import { SQS } from '@aws-sdk/client-sqs'
import {
  createDeadLetterSender,
  createQueueSender,
  createReceivedMessages,
  type DeadLetterSender,
  type Log,
  type QueueClient,
  type QueueSender,
  type QueueSenderOptions,
  type ReceivedMessages,
} from '../../shared/queue/index.ts'
import type { LaneUrls } from './environment.ts'

/** Each queue is asked under its own URL; the region comes from the environment, as the credentials do. */
export function createClient(): QueueClient {
  return new SQS({})
}

export function openSender(options: QueueSenderOptions): QueueSender {
  return createQueueSender(options)
}

export function openReceived(client: QueueClient, { queue }: LaneUrls, logger: Log): ReceivedMessages {
  return createReceivedMessages({ client, queueUrl: queue, logger })
}

export function openDeadLetters(client: QueueClient, { deadLetters }: LaneUrls): DeadLetterSender {
  return createDeadLetterSender({ client, queueUrl: deadLetters })
}
