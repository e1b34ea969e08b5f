export { GO_ESCAPES, quoted } from './go-quote.ts'
export {
  formatLabelSelector,
  type LabelRequirement,
  matchesLabels,
  parseLabelSelector,
  SelectorError,
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
