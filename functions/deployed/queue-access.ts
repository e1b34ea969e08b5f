import { SQSClient } from '@aws-sdk/client-sqs'
import {
  createDeadLetterSender,
  createQueueSender,
  createReceivedMessages,
  type DeadLetterSender,
  type Log,
  type QueueSender,
  type QueueSenderOptions,
  type ReceivedMessages,
} from '../../shared/queue/index.ts'
import type { LaneUrls } from './environment.ts'

/** Each queue is asked under its own URL; the region comes from the environment, as the credentials do. */
export const createClient = (): SQSClient => new SQSClient({})

export const openSender = (options: QueueSenderOptions): QueueSender => createQueueSender(options)

export const openReceived = (client: SQSClient, { queue }: LaneUrls, logger: Log): ReceivedMessages =>
  createReceivedMessages({ client, queueUrl: queue, logger })

export const openDeadLetters = (client: SQSClient, { deadLetters }: LaneUrls): DeadLetterSender =>
  createDeadLetterSender({ client, queueUrl: deadLetters })
