export { mutatingPolicies } from './mutating.ts'
export { typeWarnings } from './type-checking.ts'
export { validatingPolicies } from './validating.ts'
