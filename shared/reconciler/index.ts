export { bytesOf, UNSEEN_WRITE_MS } from './cache-entry.ts'
export { type Clock, systemClock } from './clock.ts'
export {
  type ClusterCallLimits,
  type ClusterCallLimitsOptions,
  limitClusterCalls,
} from './cluster-call-limits.ts'
export {
  type EndpointPart,
  isRead,
  isUnread,
  LABEL_ENDPOINTS_CLUSTER,
  mapParts,
  type UnreadPart,
} from './endpoint-parts.ts'
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
  type GuardProblem,
  type Guards,
  type GuardsSettings,
  guardAlarms,
  guardEvents,
  guardPlan,
  guardProblems,
  type Hold,
  handoverEvent,
  handoverOf,
  heldSince,
  holdEvent,
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
  secondControllerEvent,
  slicesAfter,
  slicesByName,
  type UnreachablePolicy,
  unverified,
  withOwnNotes,
  writersOf,
} from './guards/index.ts'
export { createNodeReader } from './node-reader.ts'
export { type PackingSettings, packingOf } from './packing-of.ts'
export { type MirrorSettings, managersOf, planMirrors } from './plan-mirrors.ts'
export { type PlanSummary, planService } from './plan-service.ts'
export { createPodReader } from './pod-reader.ts'
export { readObject } from './read-object.ts'
export { managedBy, readState } from './read-state.ts'
export { type ReadableCluster, UnknownClusterError } from './readable-cluster.ts'
export { delayOf, type FleetSummary, type ReconcileOutcome } from './reconcile-outcome.ts'
export { createReconciler, type ReconcilerOptions } from './reconcile-service.ts'
export { HOLDING } from './reporter.ts'
export { PersistentConflictError } from './retry-on-conflict.ts'
export { EVENT_REASONS, recordEvent, type ServiceEvent } from './service-events.ts'
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
export { createSealedSliceClient, createSliceClient } from './slice-client.ts'
export { createSyncMetrics } from './sync-metrics.ts'
export { SliceWriteError, writeSlices } from './write-slices.ts'
