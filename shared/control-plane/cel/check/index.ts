export { type Checked, check, qualifiedName } from './checker.ts'
export { literalIssues } from './literals.ts'
export type { Declarations, ObjectTypes } from './scope.ts'
