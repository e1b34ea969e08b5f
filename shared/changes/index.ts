export {
  ANNOTATION_COMPANIONS,
  ANNOTATION_RULES,
  type AnnotationCheck,
  type AnnotationRule,
  annotationProblem,
  type RuledAnnotation,
} from './annotation-rules.ts'
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
} from './annotations.ts'
export { type Change, mergeChanges } from './change.ts'
export { createChangeQueue } from './change-queue.ts'
export {
  type ClusterIndex,
  type CrossClusterSelectors,
  createClusterIndex,
  createCrossClusterSelectors,
  type IndexOptions,
  type KindIndex,
} from './cluster-index/index.ts'
export type { ComparedKey, ComparisonSettings, SliceState } from './compare-with-desired.ts'
export { knownTime, knownVersion } from './digests.ts'
export {
  type ClusterVersions,
  countVersions,
  FLEET_VERSIONS,
  type FleetVersions,
} from './fleet-versions.ts'
export { HINTED_PODS, HINTED_SLICES, type Hint, type KeyHints } from './hint.ts'
export { type ClusterHistory, createClusterHistory } from './history.ts'
export { type KeyText, keyText, parseKeyText, type ServiceKey } from './key.ts'
export { KEY_DIGEST_VERSION } from './key-digests.ts'
export {
  FLEET_MANAGED_BY,
  goesWithService,
  isLeftBehind,
  isLeftover,
  isOfOtherMode,
  isOurs,
  leftBehindAdvice,
  leftoversOf,
  STAYS_BEHIND_ADVICE,
} from './leftovers.ts'
export { misspeltAnnotation, SERVICE_ANNOTATIONS } from './misspelt-annotation.ts'
export type { MalformedObject } from './object-form.ts'
export { type PermissionSettings, type Permissions, permissionsOf } from './permissions.ts'
export { fixedTime, keyBucket, RateLimiter } from './rate-limiter.ts'
export {
  ANNOTATION_SEAL,
  editBetween,
  hasSeal,
  isSameContent,
  isSealed,
  isSealedForDeletion,
  seal,
  sealedBy,
  sealForDeletion,
  slicesDigest,
  wasWrittenAs,
  writerName,
  writerOf,
} from './seal.ts'
export {
  type InvalidSelection,
  invalidReason,
  type Leftovers,
  type PausedSelection,
  type PodSelection,
  type Selection,
  selectionOf,
  type UnmanagedReason,
} from './selection.ts'
export {
  type IgnoredAnnotation,
  ignoredAnnotations,
  ignoredReason,
  overridesRemoval,
  pauseOf,
  withControls,
} from './service-controls.ts'
export { createSetMap, type SetMap } from './set-map.ts'
export { isListCheaper } from './slice-hint.ts'
export { createVerifier, type Verifier } from './verifier.ts'
