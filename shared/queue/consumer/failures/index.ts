export { type BackoffInputs, backoffSeconds } from './backoff.ts'
export { classify, type Failure } from './classify.ts'
export { dropOldest } from './drop-oldest.ts'
export { DISPOSITIONS, type Disposition, FAILURE_CLASSES, type FailureClass } from './failure-class.ts'
export {
  createRedelivery,
  type FailedKey,
  type FailedMessage,
  type Redelivery,
  type RedeliveryDecision,
  type RedeliveryOptions,
} from './redelivery.ts'
