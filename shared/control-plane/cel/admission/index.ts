export {
  Activation,
  type ComposedVariables,
  type ExpressionInput,
  OutOfBudgetError,
} from './activation.ts'
export type { AccessDecision, AccessQuestion, AskAccess } from './authorizer.ts'
export { ExpressionCompiler, type ExpressionScope, type KnownTypes, type Purpose } from './compiler.ts'
export { meetsAll } from './conditions.ts'
