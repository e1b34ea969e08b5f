export {
  type ClusterIndex,
  type CrossClusterSelectors,
  createClusterIndex,
  createCrossClusterSelectors,
} from './cluster-index/cluster-index.ts'
export type { KindIndex } from './cluster-index/kind-index.ts'
export {
  KINDS,
  type Kind,
  type KindName,
  kindNamed,
  kindsOf,
  OWNER_KINDS,
  type Scope,
} from './cluster-index/kinds.ts'
export { isVerifiable } from './cluster-index/service-facts.ts'
export { isListCheaper } from './cluster-index/slices-to-read.ts'
export {
  type ComparedKey,
  type ComparisonSettings,
  nodeNamed,
  type SliceState,
} from './compare-with-desired.ts'
export {
  type ClusterVersions,
  countVersions,
  FLEET_VERSIONS,
  type FleetVersions,
} from './fleet-versions.ts'
export { ClusterHistory } from './history.ts'
export { KEY_DIGEST_VERSION } from './key-digests.ts'
export { type Change, mergeChanges } from './key-queue/change.ts'
export { createChangeQueue } from './key-queue/change-queue.ts'
export {
  ENDPOINT_SELECTOR,
  type KeyText,
  keyFields,
  keyText,
  type OwnerName,
  ownerNameRule,
  ownerOf,
  ownerText,
  parseKeyText,
  type ServiceKey,
} from './key-queue/key.ts'
export { fixedTime, keyBucket, RateLimiter } from './key-queue/rate-limiter.ts'
export {
  HINTED_PODS,
  HINTED_SLICES,
  type HintFacts,
  type KeyHints,
  MAX_SELECTOR_LENGTH,
  type PodFacts,
  type PodsFacts,
  type ReadAhead,
  type SyncHint,
} from './key-queue/sync-hint.ts'
export {
  isPublished,
  otherOwner,
  otherOwnerNamed,
  publishedOwners,
  unpublishedAdvice,
  unpublishedOwner,
} from './owners/find-owner.ts'
export type { OtherOwner, OwnerObject } from './owners/other-owner.ts'
export { OTHER_OWNERS } from './owners/other-owners.ts'
export { podsWritten } from './pods-written.ts'
export {
  DELETE_LEFTOVERS_ADVICE,
  FLEET_MANAGED_BY,
  goesWithService,
  isLeftBehind,
  isLeftover,
  isOfOtherMode,
  isOurs,
  leftBehindAdvice,
  leftoversOf,
  STAYS_BEHIND_ADVICE,
} from './seal/leftovers.ts'
export {
  ANNOTATION_SEAL,
  editBetween,
  hasSeal,
  isSealed,
  seal,
  sealedBy,
  slicesDigest,
  wasWrittenAs,
  writerName,
  writerOf,
} from './seal/seal.ts'
export { ANNOTATION_RULES } from './selection/annotation-rules.ts'
export { misspeltAnnotation, SERVICE_ANNOTATIONS } from './selection/misspelt-annotation.ts'
export type { MalformedObject } from './selection/object-form.ts'
export { selectionOf } from './selection/selection.ts'
export {
  type IgnoredAnnotation,
  ignoredAnnotations,
  ignoredReason,
  overridesRemoval,
  pauseOf,
  withControls,
} from './selection/service-controls.ts'
export {
  type InvalidSelection,
  invalidReason,
  type Leftovers,
  type PausedSelection,
  type Selection,
  type UnmanagedReason,
} from './selection/types.ts'
export { ADDRESSES } from './sources/addresses.ts'
export { type AnnotationCheck, type AnnotationRule, checkProblem } from './sources/annotation-check.ts'
export {
  ANNOTATION_ADDRESSES,
  ANNOTATION_CLUSTER,
  ANNOTATION_MAXIMUM_REMOVAL,
  ANNOTATION_NAMESPACE,
  ANNOTATION_NETWORK,
  ANNOTATION_PACKING,
  ANNOTATION_PAUSED,
  ANNOTATION_RELEASE,
  ANNOTATION_SELECTOR,
  isOwnAnnotation,
} from './sources/annotations.ts'
export { type PermissionSettings, type Permissions, permissionsOf } from './sources/permissions.ts'
export { NAMESPACE_NEEDS_CLUSTER } from './sources/remote-pods.ts'
export { ASKED_SOURCES, asksForEndpoints, excludes } from './sources/selection-rules.ts'
export type { PodSelection } from './sources/source.ts'
export { SOURCES } from './sources/sources.ts'
export { knownTime, knownVersion } from './tables/digests.ts'
export { podOfFacts } from './tables/pod-facts.ts'
export { SetMap } from './tables/set-map.ts'
export { Verifier } from './verifier.ts'
export { isAsNew, newerOf } from './versions.ts'
