export {
  ANNOTATION_COMPANIONS,
  ANNOTATION_RULES,
  type AnnotationCheck,
  type AnnotationRule,
  annotationProblem,
  type RuledAnnotation,
} from '../sources/annotation-rules.ts'
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
  asksForEndpoints,
  isOwnAnnotation,
  OVERRIDE_ANNOTATIONS,
  SELECTION_ANNOTATIONS,
} from '../sources/annotations.ts'
export {
  ownNamespaceOnly,
  type PermissionSettings,
  type Permissions,
  permissionsOf,
} from '../sources/permissions.ts'
export { misspeltAnnotation, SERVICE_ANNOTATIONS } from './misspelt-annotation.ts'
export {
  formFault,
  type MalformedObject,
  type ObjectKey,
  objectKey,
  type WatchedKind,
  type WatchedObjects,
} from './object-form.ts'
export { selectionOf } from './selection.ts'
export {
  type IgnoredAnnotation,
  ignoredAnnotations,
  ignoredReason,
  overridesRemoval,
  pauseOf,
  withControls,
} from './service-controls.ts'
export {
  type InvalidSelection,
  invalidReason,
  type Leftovers,
  type PausedSelection,
  type PodSelection,
  type Selection,
  type UnmanagedReason,
} from './types.ts'
