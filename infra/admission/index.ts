export { ANNOTATED_KINDS, type AnnotatedKind } from './policies.ts'
export { admissionText } from './text.ts'
