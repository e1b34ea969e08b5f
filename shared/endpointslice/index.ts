export {
  type ApplyConflict,
  type ApplyFailure,
  type ApplyOptions,
  type ApplyResult,
  apply,
  type SliceClient,
  type SliceOperation,
} from './apply.ts'
export { type Backend, backendsOf, conditionsOf, type KnownConditions } from './consuming/backends.ts'
export {
  type EndpointSelector,
  type EndpointSelectorPort,
  type LabelSelector,
  type LabelSelectorRequirement,
  projectedUid,
  projectionOf,
  projectionText,
  type SelectorService,
  serviceOfSelector,
} from './endpoint-selector.ts'
export { podForPlanning } from './endpoints/pod-for-planning.ts'
export { isPodCounted, isPodReady, isPodTerminal, publishedHostname } from './endpoints/pod-state.ts'
export { findTargetPort, type PortSetKey, portSetKey } from './endpoints/ports.ts'
export { EndpointSliceError, InvalidOptionError } from './errors.ts'
export {
  type DifferenceKind,
  type EndpointDifference,
  endpointDifferences,
} from './explaining/endpoint-differences.ts'
export { type ExplainOptions, type ExplainState, explain } from './explaining/explain.ts'
export type { SelectedPods } from './explaining/explain-endpoints.ts'
export { describeSlice } from './explaining/explain-slices.ts'
export { lastWriteOf, writtenAt } from './explaining/last-write.ts'
export { slicesAfter } from './explaining/slices-after.ts'
export type {
  EndpointExplanation,
  EndpointOutcome,
  EndpointPlacement,
  Explanation,
  HintExplanation,
  Reason,
  ReasonCode,
  SliceDescription,
  SliceExplanation,
  SliceOutcome,
  SliceReference,
  SliceWrite,
} from './explaining/types.ts'
export { ownerOfKind, ownerOfSlice } from './find-owner.ts'
export { isLock, isMirror, isMirrored } from './mirroring/is-mirrored.ts'
export {
  type MirrorEvent,
  type MirrorOptions,
  type MirrorPlan,
  type MirrorState,
  planMirror,
} from './mirroring/plan-mirror.ts'
export { addressTypesOf, isHeadless } from './objects/address-types.ts'
export { type IpAddress, parseIp } from './objects/ip-address.ts'
export { type Named, objectFault, type SkippedObject } from './objects/validate.ts'
export type { PlanOptions, SliceMetadataOptions } from './options.ts'
export { ENDPOINT_SELECTOR_OWNER } from './owners.ts'
export {
  type CompactLimits,
  compactPacking,
  type Merge,
  PACKING_POLICIES,
  type PackedSlice,
  type Packing,
  type PackingPolicy,
} from './packing/index.ts'
export { plan } from './plan.ts'
export { type OwnerRules, SERVICE_OWNER, SliceOwner, type SliceOwnerOptions } from './slice-owner.ts'
export {
  type AnyPlanState,
  joinPlans,
  type PlanEvent,
  type PlannedSlice,
  type PlanState,
  type PlanStats,
  type SelectorPlanState,
  type SlicePlan,
} from './slice-plan.ts'
export { isPlaceholder } from './slices/placeholder.ts'
export { canonicalTriggerTime } from './slices/trigger-time.ts'
export { addressProblem, addressSource, fqdnSource } from './sources/addresses.ts'
export { type ForeignPods, foreignPodSource } from './sources/foreign-pods.ts'
export { ANNOTATION_NETWORK_STATUS, type PodsOnNetwork, podsOnNetwork } from './sources/networks.ts'
export type { EndpointSource, SourceEndpoint } from './sources/source.ts'
export { type HintMode, hintModeOf } from './topology-hints/mode.ts'
export { compareVersions, SliceTracker, type SliceTrackerOptions } from './tracking/slice-tracker.ts'
export { TriggerTimeTracker } from './tracking/trigger-time-tracker.ts'
export type * from './types.ts'
export * from './well-known.ts'
