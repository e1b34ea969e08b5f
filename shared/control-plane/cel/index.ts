export { type CompiledRule, compileMessage, compileRule } from './compile.ts'
export { CelError, CelEvaluator, CostBudget, CostError, type Expression } from './evaluator.ts'
export { RuleValidator } from './validator.ts'
