export { check, type ResolvedCall } from './checker.ts'
export { literalIssues } from './literals.ts'
export { qualifiedName } from './node-types.ts'
export type { Declarations, ObjectTypes } from './scope.ts'
