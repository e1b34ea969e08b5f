import { SQS } from '@aws-sdk/client-sqs'
import { awsClientOptions } from '../../shared/proxy/index.ts'
import {
  createDeadLetterSender,
  createQueueSender,
  createReceivedMessages,
  type DeadLetterSender,
  type QueueClient,
  type QueueSender,
  type QueueSenderOptions,
  type ReceivedMessages,
} from '../../shared/queue/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import type { LaneUrls } from './environment.ts'

/**
 * Creates a client for all queues. Each is asked under its own URL; region and credentials come from the
 * environment.
 */
export function createClient(): QueueClient {
  return new SQS(awsClientOptions())
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
