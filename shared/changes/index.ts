export {
  ANNOTATION_ADDRESSES,
  ANNOTATION_CLUSTER,
  ANNOTATION_NAMESPACE,
  ANNOTATION_NETWORK,
  ANNOTATION_RELEASE,
  ANNOTATION_SELECTOR,
  isOwnAnnotation,
} from './annotations.ts'
export { type Change, mergeChanges } from './change.ts'
export {
  type ClusterIndex,
  createClusterIndex,
  createFleet,
  type Fleet,
  type IndexOptions,
  type KindIndex,
} from './cluster-index/index.ts'
export { knownTime, knownVersion } from './digests.ts'
export {
  type ClusterVersions,
  countVersions,
  FLEET_VERSIONS,
  type FleetVersions,
} from './fleet-versions.ts'
export { HINTED_PODS, HINTED_SLICES, type Hint, type KeyHints } from './hint.ts'
export { type ClusterHistory, createClusterHistory } from './history.ts'
export type { JudgedKey, Verdict, VerdictSettings } from './judge-service.ts'
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
export { createLookTime, type LookTime } from './look-time.ts'
export { misspeltAnnotation } from './misspelt-annotation.ts'
export type { MalformedObject } from './object-form.ts'
export { createPace, type Pace } from './pace.ts'
export { createPendingChanges, type PendingChanges } from './pending-changes.ts'
export { type PermissionSettings, type Permissions, permissionsOf } from './permissions.ts'
export { autoRest, costlyRest, fixedRest, liveRest, type Rest } from './rest.ts'
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
  type PodSelection,
  type Selection,
  selectionOf,
  type UnmanagedReason,
} from './selection.ts'
export { createSetMap, type SetMap } from './set-map.ts'
export { isListCheaper } from './slice-hint.ts'
export type { Timer, Timers } from './timers.ts'
export { createVerifier, type Verifier } from './verifier.ts'
export type { WaitingChange } from './waiting-change.ts'
