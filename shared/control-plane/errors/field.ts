import type { JsonValue } from '../json.ts'
import type { StatusCause } from './status.ts'

/** One error of validation: reason, path of the field, and the text that follows the path. */
export interface FieldError {
  readonly reason: string
  readonly field: string
  readonly message: string
}

/** A value as Go prints it in field errors: strings quoted, the rest as JSON. */
function shown(value: JsonValue | undefined): string {
  return value === undefined ? 'null' : JSON.stringify(value)
}

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

export function notSupported(field: string, value: JsonValue, supported: readonly string[]): FieldError {
  const listed = supported.map((item) => JSON.stringify(item)).join(', ')
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${shown(value)}: supported values: ${listed}`,
  }
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` }
}

export function tooLong(field: string, maximum: number): FieldError {
  return { reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${maximum} bytes` }
}

export function tooMany(field: string, actual: number, maximum: number): FieldError {
  return {
    reason: 'FieldValueTooMany',
    field,
    message: `Too many: ${actual}: must have at most ${maximum} items`,
  }
}

export function internalField(field: string, detail: string): FieldError {
  return { reason: 'InternalError', field, message: `Internal error: ${detail}` }
}

/** The text of several errors as apimachinery aggregates them: each text once, in brackets when there are several. */
export function aggregate(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))]
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`
}

export function causes(errors: readonly FieldError[]): StatusCause[] {
  return errors.map(({ reason, message, field }) => ({ reason, message, field }))
}
