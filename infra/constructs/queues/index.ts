export { grantDeadLetters, grantSend } from './grants.ts'
export {
  type ExistingQueue,
  KeyQueue,
  type KeyQueueProps,
  type OwnQueueProps,
  type QueueOverrides,
} from './key-queue.ts'
export { LaneQueues, type LaneQueuesProps } from './lane-queues.ts'
