export { checkFields, type FieldRequirement, matchesFields, parseFieldSelector } from './fields.ts'
export { type LabelRequirement, matchesLabels, parseLabelSelector } from './labels.ts'
