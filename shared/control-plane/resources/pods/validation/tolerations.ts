import { type FieldError, invalidValue, notSupported } from '../../../apimachinery/errors/index.ts'
import { type JsonObject, numberAt, objectsAt, stringAt } from '../../../apimachinery/json/index.ts'
import { labelKey, labelValue } from '../../../apimachinery/validation/index.ts'
import { oneOfIfAny, ruled } from './checks.ts'

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
const OPERATORS = ['Equal', 'Exists']
/** They are behind a disabled feature gate, and named only in the error for one of them. */
const COMPARISONS = ['Lt', 'Gt']
const NEEDS_KEY = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'

/** Validates which taints a pod tolerates (upstream: ValidateTolerations). */
export function tolerationErrors(spec: JsonObject): FieldError[] {
  return objectsAt(spec, 'tolerations').flatMap((toleration, index) => {
    const at = `spec.tolerations[${index}]`
    const [key, operator, effect] = ['key', 'operator', 'effect'].map((name) => stringAt(toleration, name))
    const isTimed = numberAt(toleration, 'tolerationSeconds') !== undefined && effect !== 'NoExecute'
    const needsExecute = "effect must be 'NoExecute' when `tolerationSeconds` is set"
    return [
      ...ruled(`${at}.key`, key ?? '', labelKey),
      ...(key === '' && operator !== 'Exists' ? [invalidValue(`${at}.operator`, operator, NEEDS_KEY)] : []),
      ...(isTimed ? [invalidValue(`${at}.effect`, effect, needsExecute)] : []),
      ...operatorErrors(operator ?? '', stringAt(toleration, 'value'), `${at}.operator`),
      ...oneOfIfAny(`${at}.effect`, effect || undefined, EFFECTS),
    ]
  })
}

function operatorErrors(operator: string, value: string, field: string): FieldError[] {
  if (operator === 'Exists') {
    const why = "value must be empty when `operator` is 'Exists'"
    return value === '' ? [] : [invalidValue(field, value, why)]
  }
  if (operator === '' || operator === 'Equal') {
    const wrong = labelValue(value)
    return wrong.length === 0 ? [] : [invalidValue(field, value, wrong.join(';'))]
  }
  const known = COMPARISONS.includes(operator) ? [...OPERATORS, ...COMPARISONS] : OPERATORS
  return [notSupported(field, operator, known)]
}
