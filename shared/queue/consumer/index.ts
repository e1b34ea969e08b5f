export {
  type BatchHandler,
  createHandler,
  type HandlerOptions,
  type HandlerSettings,
  type Reconcile,
  type ReconcileContext,
} from './batch-handler.ts'
export {
  classify,
  createBoundedCache,
  FAILURE_CLASSES,
  type FailureClass,
  failureWords,
} from './failures/index.ts'
