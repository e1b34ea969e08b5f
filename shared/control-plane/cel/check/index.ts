export { check, qualifiedName, type ResolvedCall } from './checker.ts'
export { literalIssues } from './literals.ts'
export type { Declarations, ObjectTypes } from './scope.ts'
