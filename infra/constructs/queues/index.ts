export {
  type ExistingQueue,
  grantDeadLetters,
  grantSend,
  KeyQueue,
  type KeyQueueProps,
  LaneQueues,
  type LaneQueuesProps,
  type OwnQueueProps,
  type QueueOverrides,
} from './key-queue.ts'
