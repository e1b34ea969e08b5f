export { labelSelectorErrors } from './label-selector.ts'
export { type ExpressionErrors, matchConditionErrors } from './match-conditions.ts'
export { ruleErrors } from './rules.ts'
export { mutatingWebhookConfigurations, validatingWebhookConfigurations } from './webhook-configurations.ts'
