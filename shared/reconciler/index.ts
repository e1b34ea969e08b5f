export type { Clock } from './clock.ts'
export {
  type ClusterCallLimits,
  type ClusterCallLimitsOptions,
  limitClusterCalls,
} from './cluster-call-limits.ts'
export {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
  createAddressFilter,
  createGuardMetrics,
  fightEvent,
  type GuardsSettings,
  guardPlan,
  handoverEvent,
  handoverOf,
  heldSince,
  holdEvent,
  quietOf,
  SliceFightError,
  sealNotes,
  withOwnNotes,
} from './guards/index.ts'
export { createLookMetrics } from './look-metrics.ts'
export { createNodeReader } from './node-reader.ts'
export { type PlanSummary, planService } from './plan-service.ts'
export { createPodReader, type PodsAndNodes } from './pod-reader.ts'
export { readState } from './read-state.ts'
export { type ReadableCluster, UnknownClusterError } from './readable-cluster.ts'
export type { ReconcileOutcome } from './reconcile-outcome.ts'
export { createReconciler, type ReconcilerOptions } from './reconcile-service.ts'
export { PersistentConflictError } from './retry-on-conflict.ts'
export { EVENT_REASONS } from './service-events.ts'
export {
  type Compared,
  createLook,
  createShadowMetrics,
  describeDifference,
  type Look,
  readOnlyClient,
} from './shadow/index.ts'
export { SliceWriteError } from './write-slices.ts'
