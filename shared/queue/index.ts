export type { QueueCallOptions, QueueClient } from './client.ts'
export {
  createDeadLetterSender,
  type DeadLetter,
  type DeadLetterSender,
} from './dead-letters.ts'
export { MalformedMessageError, QueueError } from './errors.ts'
export { LANES, type Lane, MAX_BACKOFF_SECONDS, visibilityTimeoutSeconds } from './lane.ts'
export {
  createLocalCredentials,
  type LocalCredentials,
  readLocalCredentials,
  removeLocalCredentials,
  writeLocalCredentials,
} from './local-credentials.ts'
export { mergeMessages, withoutVersions } from './merge-messages.ts'
export {
  encodeMessage,
  type KeyMessage,
  parseMessage,
  readMessage,
  withoutNewAddresses,
} from './message.ts'
export { createQueueClient, queueUrlOf, readRedrivePolicy } from './queue-address.ts'
export { type ReceivedLetter, readDeadLetter, UNFINISHED } from './read-dead-letter.ts'
export {
  createReceivedMessages,
  type ReceivedMessages,
  type VisibilityChange,
} from './received.ts'
export { sendBatches } from './send-batches.ts'
export {
  createQueueSender,
  messageGroupId,
  type QueueSender,
  type QueueSenderOptions,
  type SendResult,
} from './sender.ts'
export { traceparentOf } from './traceparent.ts'
