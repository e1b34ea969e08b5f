export { DISPOSITIONS, type Disposition, FAILURE_CLASSES, type FailureClass } from './classes.ts'
export { classify, type Failure } from './classify.ts'
export { dropOldest } from './drop-oldest.ts'
export { type BackoffInputs, backoffSeconds } from './seconds.ts'
export {
  createVerdicts,
  type FailedKey,
  type FailedMessage,
  type Verdict,
  type VerdictOptions,
  type Verdicts,
} from './verdicts.ts'
