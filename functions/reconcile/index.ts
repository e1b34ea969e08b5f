export type { Clock } from './clock.ts'
export { UnknownClusterError } from './clusters.ts'
export {
  type BatchHandler,
  createHandler,
  type HandlerOptions,
  type HandlerSettings,
  type Reconcile,
  type ReconcileContext,
} from './handler.ts'
export type { PlanSummary } from './plan-service.ts'
export {
  createReconciler,
  PersistentConflictError,
  type ReconcileOutcome,
  type ReconcilerOptions,
} from './reconcile-service.ts'
export { type Compared, createShadowMetrics } from './shadow/index.ts'
export { SliceWriteError } from './write-slices.ts'
