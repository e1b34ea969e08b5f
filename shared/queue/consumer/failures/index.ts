export { type BackoffInputs, backoffSeconds } from './backoff.ts'
export { createBoundedCache } from './bounded-cache.ts'
export { classify, type Failure } from './classify.ts'
export {
  DISPOSITIONS,
  type Disposition,
  FAILURE_CLASSES,
  type FailureClass,
  failureWords,
} from './failure-class.ts'
export {
  createRedelivery,
  type FailedKey,
  type FailedMessage,
  type Redelivery,
  type RedeliveryDecision,
  type RedeliveryOptions,
} from './redelivery.ts'
