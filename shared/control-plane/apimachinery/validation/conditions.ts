import { labelKey } from '../../../kubernetes/index.ts'
import { duplicate, type FieldError, invalidValue, notSupported, required, tooLong } from '../errors/field.ts'
import type { JsonObject } from '../json/exact-numbers.ts'
import { numberAt, stringAt } from '../json/values.ts'

const STATUSES = ['False', 'True', 'Unknown']
const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?'
const REASON_PATTERN = new RegExp(`^${REASON}$`)
const WRONG_REASON = `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${REASON}')`
/** Bytes. */
const LONGEST_REASON = 1024
const LONGEST_MESSAGE = 32 * 1024

/** Validates conditions (meta/v1 Condition) as apimachinery's ValidateConditions does. */
export function conditionsErrors(conditions: readonly JsonObject[], at: string): FieldError[] {
  const seen = new Set<string>()
  return conditions.flatMap((condition, index) => {
    const type = stringAt(condition, 'type')
    const twice = seen.has(type) ? [duplicate(`${at}[${index}].type`, type)] : []
    seen.add(type)
    return [...twice, ...oneCondition(condition, `${at}[${index}]`)]
  })
}

function oneCondition(condition: JsonObject, at: string): FieldError[] {
  const [type, status, message] = ['type', 'status', 'message'].map((name) => stringAt(condition, name))
  const generation = numberAt(condition, 'observedGeneration') ?? 0
  return [
    ...labelKey(type ?? '').map((why) => invalidValue(`${at}.type`, type ?? '', why)),
    ...(STATUSES.includes(status ?? '') ? [] : [notSupported(`${at}.status`, status ?? '', STATUSES)]),
    ...(generation < 0
      ? [invalidValue(`${at}.observedGeneration`, generation, 'must be greater than or equal to zero')]
      : []),
    ...(condition.lastTransitionTime ? [] : [required(`${at}.lastTransitionTime`)]),
    ...reasonErrors(stringAt(condition, 'reason'), `${at}.reason`),
    ...(Buffer.byteLength(message ?? '') > LONGEST_MESSAGE
      ? [tooLong(`${at}.message`, LONGEST_MESSAGE)]
      : []),
  ]
}

function reasonErrors(reason: string, at: string): FieldError[] {
  if (reason === '') return [required(at)]
  return [
    ...(REASON_PATTERN.test(reason) ? [] : [invalidValue(at, reason, WRONG_REASON)]),
    ...(Buffer.byteLength(reason) > LONGEST_REASON ? [tooLong(at, LONGEST_REASON)] : []),
  ]
}
