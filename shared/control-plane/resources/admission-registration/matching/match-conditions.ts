import { labelKey } from '../../../../kubernetes/index.ts'
import {
  duplicate,
  type FieldError,
  invalidValue,
  required,
  tooMany,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { stringAt } from '../../../apimachinery/json/values.ts'

const MOST = 64

/** Returns the errors of an expression at this path. */
export type ExpressionErrors = (expression: string, at: string) => FieldError[]

/** Validates `matchConditions` of webhooks and policies. */
export function matchConditionErrors(
  conditions: readonly JsonObject[],
  at: string,
  expressionErrors: ExpressionErrors,
): FieldError[] {
  const names = conditions.map((condition) => stringAt(condition, 'name'))
  return [
    ...(conditions.length > MOST ? [tooMany(at, conditions.length, MOST)] : []),
    ...conditions.flatMap((condition, index) => {
      const name = names[index] ?? ''
      const path = `${at}[${index}]`
      const again = name !== '' && names.indexOf(name) < index
      return [
        ...conditionErrors(condition, path, expressionErrors),
        ...(again ? [duplicate(`${path}.name`, name)] : []),
      ]
    }),
  ]
}

function conditionErrors(
  condition: JsonObject,
  at: string,
  expressionErrors: ExpressionErrors,
): FieldError[] {
  const expression = stringAt(condition, 'expression').trim()
  const name = stringAt(condition, 'name')
  return [
    ...(expression === ''
      ? [required(`${at}.expression`)]
      : expressionErrors(expression, `${at}.expression`)),
    ...(name === ''
      ? [required(`${at}.name`)]
      : labelKey(name).map((text) => invalidValue(`${at}.name`, name, text))),
  ]
}
