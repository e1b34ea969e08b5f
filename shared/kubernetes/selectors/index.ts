export { GO_ESCAPES, quoted } from './go-quote.ts'
export {
  EXPRESSION_OPERATORS,
  formatLabelSelector,
  type LabelRequirement,
  matchesLabels,
  parseLabelSelector,
  SelectorError,
  selectorFromExpressions,
  selectorFromLabels,
} from './label-selector.ts'
export {
  configKey,
  labelKey,
  labelName,
  labelValue,
  type NameRule,
  portName,
  subdomainName,
} from './names.ts'
