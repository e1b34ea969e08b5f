export { conditionErrors, ExpressionChecks } from './expressions.ts'
export { labelSelectorErrors } from './label-selector.ts'
export { type ExpressionErrors, matchConditionErrors } from './match-conditions.ts'
export {
  defaultMatchResources,
  matchConstraintsErrors,
  matchResourcesErrors,
  mutableOperationErrors,
} from './match-resources.ts'
export { ruleErrors } from './rules.ts'
