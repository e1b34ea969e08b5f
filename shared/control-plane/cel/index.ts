export {
  type AccessDecision,
  type AccessQuestion,
  Activation,
  type AskAccess,
  type ComposedVariables,
  ExpressionCompiler,
  type ExpressionInput,
  type ExpressionScope,
  type KnownTypes,
  meetsAll,
  OutOfBudgetError,
  type Purpose,
} from './admission/index.ts'
export type { ObjectTypes } from './check/index.ts'
export type { Expression } from './environment.ts'
export { CelError, CostError } from './errors.ts'
export { type DeclaredSize, declaredSize, mostCost, mostValues } from './estimate/index.ts'
export { type CompiledRule, RuleCompiler } from './rules/compiler.ts'
export { SchemaTypes } from './rules/schema-types.ts'
export { StructTypes } from './rules/struct-types.ts'
export { RuleValidator } from './rules/validator.ts'
export { CostBudget } from './runtime/budget.ts'
export { CelMap, type CelValue, isList, toJson } from './values/index.ts'
