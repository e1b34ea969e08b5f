import { labelKey, labelValue } from '../../../../kubernetes/index.ts'
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, objectsAt, stringAt, stringsAt } from '../../../apimachinery/json/values.ts'
import { stringMap } from '../../../apimachinery/objects.ts'
import { labelMapErrors } from '../../../apimachinery/validation/metadata.ts'

const SETS = new Set(['In', 'NotIn'])
const EXISTENCE = new Set(['Exists', 'DoesNotExist'])

/** Validates a meta/v1 LabelSelector (apimachinery/pkg/apis/meta/v1/validation). An absent one is valid. */
export function labelSelectorErrors(selector: JsonValue | undefined, at: string): FieldError[] {
  if (!isObject(selector)) return []
  return [
    ...labelMapErrors(`${at}.matchLabels`, stringMap(selector.matchLabels)),
    ...objectsAt(selector, 'matchExpressions').flatMap((requirement, index) =>
      requirementErrors(requirement, `${at}.matchExpressions[${index}]`),
    ),
  ]
}

function requirementErrors(requirement: JsonObject, at: string): FieldError[] {
  const operator = stringAt(requirement, 'operator')
  const key = stringAt(requirement, 'key')
  const values = stringsAt(requirement, 'values')
  return [
    ...operatorErrors(operator, values, at),
    ...labelKey(key).map((text) => invalidValue(`${at}.key`, key, text)),
    ...values.flatMap((value, index) =>
      labelValue(value).map((text) => invalidValue(`${at}.values[${index}]`, value, text)),
    ),
  ]
}

function operatorErrors(operator: string, values: readonly string[], at: string): FieldError[] {
  if (SETS.has(operator)) {
    const text = "must be specified when `operator` is 'In' or 'NotIn'"
    return values.length === 0 ? [required(`${at}.values`, text)] : []
  }
  if (EXISTENCE.has(operator)) {
    const text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
    return values.length > 0 ? [forbiddenField(`${at}.values`, text)] : []
  }
  return [invalidValue(`${at}.operator`, operator, 'not a valid selector operator')]
}
