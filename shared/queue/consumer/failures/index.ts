export { type BackoffInputs, backoffSeconds } from './backoff.ts'
export { classify, type Failure } from './classify.ts'
export { dropOldest } from './drop-oldest.ts'
export { DISPOSITIONS, type Disposition, FAILURE_CLASSES, type FailureClass } from './failure-class.ts'
export {
  createVerdicts,
  type FailedKey,
  type FailedMessage,
  type Verdict,
  type VerdictOptions,
  type Verdicts,
} from './redelivery.ts'
