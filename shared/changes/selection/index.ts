export { ANNOTATION_RULES } from './annotation-rules.ts'
export { misspeltAnnotation, SERVICE_ANNOTATIONS } from './misspelt-annotation.ts'
export { formFault, type MalformedObject, type ObjectKey, objectKey } from './object-form.ts'
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
  type Selection,
  type UnmanagedReason,
} from './types.ts'
