export { ADDRESSES } from './addresses.ts'
export {
  type AnnotationCheck,
  type AnnotationRule,
  type AnnotationRules,
  checkProblem,
} from './annotation-check.ts'
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
  OVERRIDE_ANNOTATIONS,
} from './annotations.ts'
export { ownNamespaceOnly, type PermissionSettings, type Permissions, permissionsOf } from './permissions.ts'
export { PODS_SOURCE } from './pods.ts'
export { NAMESPACE_NEEDS_CLUSTER } from './remote-pods.ts'
export {
  ASKED_SOURCES,
  type AskedSource,
  asksForEndpoints,
  excludes,
  SELECTION_ANNOTATIONS,
  SELECTION_RULES,
} from './selection-rules.ts'
export {
  AnnotationError,
  type AskingService,
  checkAnnotations,
  checkLengths,
  isReadSource,
  type PodSelection,
  type ReadSource,
  RefusedError,
  type Source,
} from './source.ts'
export { SOURCES } from './sources.ts'
