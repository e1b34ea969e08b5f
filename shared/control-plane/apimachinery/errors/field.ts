import { quoted } from '../../../kubernetes/index.ts'
import { type JsonValue, jsonText } from '../json/exact-numbers.ts'
import { goNumber } from '../json/go-number.ts'
import { isNumber } from '../json/values.ts'
import type { StatusCause } from './status.ts'

/** One error of validation: reason, path of the field, and the text that follows the path. */
export interface FieldError {
  readonly reason: string
  readonly field: string
  readonly message: string
}

/** Formats a value as Go's field errors do: texts quoted, numbers as printed, the rest as JSON. */
function shown(value: JsonValue | undefined): string {
  return typeof value === 'string' ? quoted(value) : unquoted(value ?? null)
}

const unquoted = (value: JsonValue): string => (isNumber(value) ? goNumber(value) : goJson(value))

/** Writes JSON as Go's encoding/json, which escapes what means something in HTML, U+2028 and U+2029. */
const goJson = (value: JsonValue): string =>
  jsonText(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export function invalidValue(field: string, value: JsonValue | undefined, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${shown(value)}: ${detail}` }
}

export function required(field: string, detail = ''): FieldError {
  return {
    reason: 'FieldValueRequired',
    field,
    message: detail ? `Required value: ${detail}` : 'Required value',
  }
}

export function duplicate(field: string, value: JsonValue): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${shown(value)}` }
}

/** Makes the error of a value that names something which is not there. */
export function notFoundField(field: string, value: JsonValue): FieldError {
  return { reason: 'FieldValueNotFound', field, message: `Not found: ${shown(value)}` }
}

/** Makes the error of a value outside of an enumeration, a type of its own in Go: it is shown as JSON. */
export function notSupported(field: string, value: JsonValue, supported: readonly string[]): FieldError {
  const listed = supported.map(quoted).join(', ')
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${unquoted(value)}: supported values: ${listed}`,
  }
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` }
}

export function tooLong(field: string, maximum: number): FieldError {
  return {
    reason: 'FieldValueTooLong',
    field,
    message: `Too long: may not be more than ${counted(maximum, 'byte')}`,
  }
}

export function tooMany(field: string, actual: number, maximum: number): FieldError {
  return {
    reason: 'FieldValueTooMany',
    field,
    message: `Too many: ${actual}: must have at most ${counted(maximum, 'item')}`,
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

export function internalField(field: string, detail: string): FieldError {
  return { reason: 'InternalError', field, message: `Internal error: ${detail}` }
}

/** Joins errors as apimachinery aggregates them: each text once, in brackets when there are several. */
export function aggregate(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))]
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`
}

export function causes(errors: readonly FieldError[]): StatusCause[] {
  return errors.map(({ reason, message, field }) => ({ reason, message, field }))
}
