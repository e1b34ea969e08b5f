import { SQS } from '@aws-sdk/client-sqs'
import { awsClientOptions } from '../../shared/proxy/index.ts'
import type { QueueClient } from '../../shared/queue/index.ts'

/**
 * Creates a client for all queues. Each is asked under its own URL; region and credentials come from the
 * environment.
 */
export const createClient = (): QueueClient => new SQS(awsClientOptions())

// What works with it is loaded with it.
export {
  createDeadLetterSender,
  createQueueSender,
  createReceivedMessages,
} from '../../shared/queue/index.ts'
