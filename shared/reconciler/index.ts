export { type Contest, type Contests, otherSliceflowAs, otherWriter } from './guards/fights/contests.ts'
export { type Fight, quietOf, SliceFightError } from './guards/fights/fights.ts'
export { fightEvent } from './guards/fights/fights-guard.ts'
export { type Guard, type GuardAlarm, type GuardMetric, type GuardSummary, HOLDING } from './guards/guard.ts'
export { GUARDS, guardAlarms, guardProblems } from './guards/guard-list.ts'
export { type GuardFinding, guardPlan, isBlocked } from './guards/guard-plan.ts'
export { createGuards, type Guards, type GuardsSettings } from './guards/guards.ts'
export { handoverEvent, handoverOf } from './guards/handover.ts'
export { heldSince } from './guards/held-plan.ts'
export { pausedReason } from './guards/paused.ts'
export { slicesAfter, slicesByName } from './guards/published/published-addresses.ts'
export {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
} from './guards/published/slice-annotations.ts'
export { sealNotes, withOwnNotes } from './guards/published/slice-notes.ts'
export { type AddressFilter, createAddressFilter } from './guards/refused/refused-addresses.ts'
export {
  SECOND_CONTROLLER_MS,
  type SliceWriters,
  secondControllerAmong,
  writersOf,
} from './guards/second-controller.ts'
export { secondControllerAdvice } from './guards/second-controller-guard.ts'
export { isUnreachable, policyFor, type UnreachablePolicy, unverified } from './guards/unreachable.ts'
export { planMirrors } from './plan/plan-mirrors.ts'
export { planService } from './plan/plan-service.ts'
export {
  type ClusterCallLimitsOptions,
  type ClusterCallsReading,
  functionCallLimits,
  limitClusterCalls,
} from './read/cluster-call-limits.ts'
export {
  type EndpointPart,
  isRead,
  isUnread,
  LABEL_ENDPOINTS_CLUSTER,
  mapParts,
} from './read/endpoint-parts.ts'
export { EndpointReader } from './read/endpoint-reader.ts'
export { createNodeReader } from './read/node-reader.ts'
export { readObject } from './read/read-object.ts'
export { apisOf, foreignSlicesOf, listOwners, OwnerReader } from './read/read-owner.ts'
export { type ReadableCluster, UnknownClusterError } from './read/readable-cluster.ts'
export { managersOf, readState } from './read-state.ts'
export { delayOf, type FleetSummary, type ReconcileOutcome } from './reconcile-outcome.ts'
export {
  CONFLICT_ATTEMPTS,
  conflictDelayMs,
  createReconciler,
  PersistentConflictError,
  type ReconcilerOptions,
} from './reconcile-service.ts'
export { recordEvent, type ServiceEvent } from './service-events.ts'
export { readOnlyClient } from './shadow/read-only-client.ts'
export { type RecordedWrite, recordingClient } from './shadow/recording-client.ts'
export { createComparing } from './shadow/shadow-reconciler.ts'
export { type Compared, describeDifference } from './shadow/shadow-report.ts'
export { createShadowSync, type ShadowSync, type VersionedDifference } from './shadow/shadow-sync.ts'
export { type Changes, updatesOf } from './slice-changes.ts'
export { EVENT_REASONS } from './sync/event-reasons.ts'
export type { SyncPlan } from './sync-result.ts'
export { type WallClock, wallClock } from './wall-clock.ts'
export { bytesOf, UNSEEN_WRITE_MS } from './write/state-cache.ts'
export { createSealedSliceClient, createSliceClient, writeSlices } from './write/write-slices.ts'
