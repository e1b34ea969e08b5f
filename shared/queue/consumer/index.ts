export {
  type BatchHandler,
  createHandler,
  type HandlerOptions,
  type Reconcile,
  type ReconcileContext,
} from './batch-handler.ts'
export { classify } from './failures/classify-error.ts'
export { FAILURE_CLASSES, failureWords } from './failures/failure-class.ts'
