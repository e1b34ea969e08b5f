export { type PlanSummary, SliceWriteError } from './attempt.ts'
export { UnknownClusterError } from './clusters.ts'
export {
  type BatchHandler,
  createHandler,
  type HandlerOptions,
  type HandlerSettings,
  type Reconcile,
  type ReconcileContext,
} from './handler.ts'
export {
  createReconciler,
  PersistentConflictError,
  type ReconcileOutcome,
  type ReconcilerOptions,
} from './reconcile-service.ts'
