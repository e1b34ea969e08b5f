export {
  Activation,
  type ComposedVariables,
  type ExpressionInput,
  OutOfBudgetError,
} from './admission/activation.ts'
export type { AskAccess } from './admission/authorizer.ts'
export {
  ExpressionCompiler,
  type ExpressionScope,
  type KnownTypes,
  type Purpose,
} from './admission/compiler.ts'
export { meetsAll } from './admission/conditions.ts'
export type { ObjectTypes } from './check/scope.ts'
export type { Expression } from './environment.ts'
export { CelError, CostError } from './errors.ts'
export { type DeclaredSize, declaredSize, mostValues } from './estimate/declared-size.ts'
export { mostCost } from './estimate/estimator.ts'
export { type CompiledRule, RuleCompiler } from './rules/compiler.ts'
export { SchemaTypes } from './rules/schema-types.ts'
export { StructTypes } from './rules/struct-types.ts'
export { RuleValidator } from './rules/validator.ts'
export { CostBudget } from './runtime/budget.ts'
export { toJson } from './values/json.ts'
export { CelMap, type CelValue, isList } from './values/value.ts'
