export {
  type ApplyConflict,
  type ApplyFailure,
  type ApplyOptions,
  type ApplyResult,
  apply,
  type SliceClient,
  type SliceOperation,
} from './apply.ts'
export { type Backend, backendsOf, conditionsOf, type KnownConditions } from './consuming/index.ts'
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
  describeSlice,
  type EndpointDifference,
  type EndpointExplanation,
  type EndpointOutcome,
  type EndpointPlacement,
  type ExplainOptions,
  type ExplainState,
  type Explanation,
  endpointDifferences,
  explain,
  type HintExplanation,
  lastWriteOf,
  type Reason,
  type ReasonCode,
  type SelectedPods,
  type SliceDescription,
  type SliceExplanation,
  type SliceOutcome,
  type SliceReference,
  type SliceWrite,
  slicesAfter,
  writtenAt,
} from './explaining/index.ts'
export {
  isLock,
  isMirror,
  isMirrored,
  type MirrorEvent,
  type MirrorOptions,
  type MirrorPlan,
  type MirrorState,
  planMirror,
} from './mirroring/index.ts'
export { addressTypesOf, isHeadless } from './objects/address-types.ts'
export { type IpAddress, parseIp } from './objects/ip-address.ts'
export { type Named, objectFault, type SkippedObject } from './objects/validate.ts'
export type { PlanOptions } from './options.ts'
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
export {
  ENDPOINT_SELECTOR_OWNER,
  type OwnerRules,
  ownerOfKind,
  ownerOfSlice,
  SERVICE_OWNER,
  SliceOwner,
  type SliceOwnerOptions,
} from './slice-owner.ts'
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
export { canonicalTriggerTime } from './slices/trigger-time.ts'
export {
  ANNOTATION_NETWORK_STATUS,
  addressProblem,
  addressSource,
  type EndpointSource,
  type ForeignPods,
  foreignPodSource,
  fqdnSource,
  type PodsOnNetwork,
  podsOnNetwork,
  type SourceEndpoint,
} from './sources/index.ts'
export { type HintMode, hintModeOf } from './topology-hints/index.ts'
export {
  compareVersions,
  SliceTracker,
  type SliceTrackerOptions,
  TriggerTimeTracker,
} from './tracking/index.ts'
export type * from './types.ts'
export * from './well-known.ts'
