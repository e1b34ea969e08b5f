export { backoffSeconds } from './backoff.ts'
export { classify, type Failure } from './classify-error.ts'
export {
  FAILURE_CLASSES,
  failureWords,
} from './failure-class.ts'
export {
  createRedelivery,
  type FailedMessage,
  type Redelivery,
  type RedeliveryOptions,
} from './redelivery-or-dead-letter.ts'
