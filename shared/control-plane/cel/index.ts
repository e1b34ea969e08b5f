export { type Checked, type ObjectTypes, qualifiedName } from './check/index.ts'
export { CelEnvironment, type EnvironmentOptions, type Expression } from './environment.ts'
export { CelError, CostError } from './errors.ts'
export { type Library, overload } from './library/index.ts'
export { type CompiledRule, RuleCompiler } from './rules/compiler.ts'
export { RuleValidator } from './rules/validator.ts'
export { CostBudget } from './runtime/budget.ts'
export type { ReadVariable } from './runtime/frame.ts'
export { readsVariable } from './syntax/index.ts'
export * as celTypes from './types/index.ts'
export {
  CelMap,
  type CelValue,
  fromJson,
  isList,
  LiteralMap,
  Opaque,
  Optional,
  toJson,
} from './values/index.ts'
