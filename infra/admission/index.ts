export { ANNOTATED_KINDS } from './policies.ts'
export { admissionText } from './text.ts'
