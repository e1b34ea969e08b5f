export { checkFields, type FieldRequirement, matchesFields, parseFieldSelector } from './fields.ts'
export { parseLabelSelector } from './labels.ts'
