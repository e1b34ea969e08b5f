import { type NameRule, portName } from '../../../../kubernetes/index.ts'
import { type FieldError, invalidValue, notSupported, required } from '../../../apimachinery/errors/field.ts'
import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { integerAt, isObject } from '../../../apimachinery/json/values.ts'

export const PORT_RANGE = 'must be between 1 and 65535, inclusive'
const LARGEST_ID = 2 ** 31 - 1

/** Validates a field that must be one of some words. */
export function oneOf(field: string, value: JsonValue | undefined, allowed: readonly string[]): FieldError[] {
  if (typeof value === 'string' && allowed.includes(value)) return []
  return value === undefined ? [required(field)] : [notSupported(field, value, allowed)]
}

/** Validates as `oneOf` does, for a field that may be left out. */
export function oneOfIfAny(
  field: string,
  value: JsonValue | undefined,
  allowed: readonly string[],
): FieldError[] {
  return value === undefined ? [] : oneOf(field, value, allowed)
}

/** Validates a text by a rule; an empty one is left alone. */
export function ruled(field: string, value: string, rule: NameRule): FieldError[] {
  return value === '' ? [] : rule(value).map((text) => invalidValue(field, value, text))
}

/** Validates a text that must be there and follow a rule. */
export function ruledAndRequired(field: string, value: string, rule: NameRule): FieldError[] {
  return value === '' ? [required(field)] : ruled(field, value, rule)
}

/** Validates ids of users and groups. */
export function idErrors(parent: JsonObject, at: string, members: readonly string[]): FieldError[] {
  return members.flatMap((member) => {
    const id = integerAt(parent, member)
    if (id === undefined || (id >= 0 && id <= LARGEST_ID)) return []
    return [invalidValue(`${at}.${member}`, id, `must be between 0 and ${LARGEST_ID}, inclusive`)]
  })
}

/** Validates a port by number or name. */
export function portErrors(field: string, port: JsonValue | undefined): FieldError[] {
  if (typeof port === 'string') return portName(port).map((text) => invalidValue(field, port, text))
  const number = typeof port === 'number' ? port : 0
  return number < 1 || number > 65_535 ? [invalidValue(field, number, PORT_RANGE)] : []
}

/** Validates a path that may not leave its folder. */
export function descendingPathErrors(field: string, path: string): FieldError[] {
  return [
    ...(path.startsWith('/') ? [invalidValue(field, path, 'must be a relative path')] : []),
    ...backstepErrors(field, path),
  ]
}

export function backstepErrors(field: string, path: string): FieldError[] {
  return path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : []
}

/** Returns the member if it is an object. */
export function presentAt(parent: JsonObject, member: string): JsonObject | undefined {
  const value = parent[member]
  return isObject(value) ? value : undefined
}
