import { SQS } from '@aws-sdk/client-sqs'
import { awsClientOptions } from '../../shared/proxy/index.ts'
import type { QueueClient } from '../../shared/queue/index.ts'

/** Creates a client for all queues, each by its own URL; the environment has region and credentials. */
export const createClient = (): QueueClient => new SQS(awsClientOptions())

// What works with it is loaded with it.
export {
  createDeadLetterSender,
  createQueueSender,
  createReceivedMessages,
} from '../../shared/queue/index.ts'
