export { ANNOTATED_KINDS, admissionText } from './policies.ts'
