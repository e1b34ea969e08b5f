export { type Change, mergeChanges } from './change.ts'
export {
  type ClusterIndex,
  createClusterIndex,
  createFleet,
  type Fleet,
  type KindIndex,
} from './cluster-index.ts'
export {
  ANNOTATION_ADDRESSES,
  ANNOTATION_CLUSTER,
  ANNOTATION_NAMESPACE,
  ANNOTATION_NETWORK,
  ANNOTATION_RELEASE,
  ANNOTATION_SELECTOR,
} from './custom-selection.ts'
export { type KeyText, keyText, parseKeyText, type ServiceKey } from './key.ts'
export { KEY_DIGEST_VERSION } from './key-digests.ts'
export type { MalformedObject } from './object-form.ts'
export { createPendingChanges, type PendingChanges, type WaitingChange } from './pending-changes.ts'
export {
  ANNOTATION_SEAL,
  isSameContent,
  isSealed,
  isSealedForDeletion,
  seal,
  sealForDeletion,
} from './seal.ts'
export {
  leftoversOf,
  type PodSelection,
  type Selection,
  selectionOf,
  type UnmanagedReason,
} from './selection.ts'
