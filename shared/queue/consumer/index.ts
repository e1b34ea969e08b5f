export {
  type BatchHandler,
  createHandler,
  type Reconcile,
  type ReconcileContext,
} from './batch-handler.ts'
export {
  classify,
  FAILURE_CLASSES,
  failureWords,
} from './failures/index.ts'
