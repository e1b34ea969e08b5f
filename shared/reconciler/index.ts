export { type Clock, systemClock } from './clock.ts'
export {
  type AddressFilter,
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
  type Contest,
  createAddressFilter,
  createGuardMetrics,
  createGuards,
  type Fight,
  fightEvent,
  GUARDS,
  type Guard,
  type GuardAlarm,
  type GuardedPlan,
  type GuardFinding,
  type GuardProblem,
  type Guards,
  type GuardsSettings,
  guardAlarms,
  guardEvents,
  guardPlan,
  guardProblems,
  HOLDING,
  handoverEvent,
  handoverOf,
  heldSince,
  isBlocked,
  isUnreachable,
  otherWriter,
  pausedReason,
  policyFor,
  quietOf,
  SECOND_CONTROLLER_MS,
  type SecondController,
  SliceFightError,
  type SliceWriters,
  sealNotes,
  secondControllerAdvice,
  secondControllerAmong,
  slicesAfter,
  slicesByName,
  type UnreachablePolicy,
  unverified,
  withOwnNotes,
  writersOf,
} from './guards/index.ts'
export {
  type MirrorSettings,
  managersOf,
  type PackingSettings,
  type PlanSummary,
  packingOf,
  planMirrors,
  planService,
} from './plan/index.ts'
export {
  type ClusterCallLimits,
  type ClusterCallLimitsOptions,
  createNodeReader,
  createPodReader,
  type EndpointPart,
  isRead,
  isUnread,
  LABEL_ENDPOINTS_CLUSTER,
  limitClusterCalls,
  listSelectors,
  mapParts,
  type ReadableCluster,
  readObject,
  selectorAsService,
  UnknownClusterError,
  type UnreadPart,
} from './read/index.ts'
export { managedBy, readState } from './read-state.ts'
export { delayOf, type FleetSummary, type ReconcileOutcome } from './reconcile-outcome.ts'
export { createReconciler, type ReconcilerOptions } from './reconcile-service.ts'
export { PersistentConflictError } from './retry-on-conflict.ts'
export { recordEvent, type ServiceEvent } from './service-events.ts'
export {
  type Compared,
  createComparing,
  createShadowMetrics,
  createShadowSync,
  describeDifference,
  type RecordedWrite,
  readOnlyClient,
  recordingClient,
  type ShadowSync,
  type VersionedDifference,
} from './shadow/index.ts'
export { createSingleFlight } from './single-flight.ts'
export { type Changes, updatesOf } from './slice-changes.ts'
export { EVENT_REASONS } from './sync/index.ts'
export { createSyncMetrics } from './sync-metrics.ts'
export {
  bytesOf,
  createSealedSliceClient,
  createSliceClient,
  SliceWriteError,
  UNSEEN_WRITE_MS,
  writeSlices,
} from './write/index.ts'
