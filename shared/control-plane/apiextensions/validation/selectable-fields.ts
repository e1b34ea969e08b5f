import {
  duplicate,
  type FieldError,
  invalidValue,
  required,
  tooMany,
} from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, stringAt } from '../../apimachinery/json/values.ts'

const MOST = 8
const TYPES = new Set(['string', 'boolean', 'integer'])

/** Validates the `selectableFields` of a version (KEP-4358). */
export function selectableFieldErrors(
  fields: readonly JsonObject[],
  schema: JsonObject,
  at: string,
): FieldError[] {
  const seen = new Set<string>()
  const errors = fields.flatMap((field, index) => {
    const path = stringAt(field, 'jsonPath')
    const own = pathErrors(path, schema, `${at}[${index}].jsonPath`)
    if (seen.has(path)) own.push(duplicate(`${at}[${index}].jsonPath`, path))
    seen.add(path)
    return own
  })
  return seen.size > MOST ? [...errors, tooMany(at, seen.size, MOST)] : errors
}

function pathErrors(path: string, schema: JsonObject, at: string): FieldError[] {
  if (path === '') return [required(at)]
  if (!path.startsWith('.'))
    return [invalidValue(at, path, `is an invalid path: expected [ or . but got: ${path}`)]
  if (path.includes('[')) return [invalidValue(at, path, 'is an invalid path: array notation is not allowed')]
  const found = schemaAt(path.slice(1).split('.'), schema)
  if (!found) return [invalidValue(at, path, 'is an invalid path: does not refer to a valid field')]
  return [
    ...(path.startsWith('.metadata') ? [invalidValue(at, path, 'must not point to fields in metadata')] : []),
    ...(TYPES.has(stringAt(found, 'type'))
      ? []
      : [
          invalidValue(
            at,
            path,
            'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
          ),
        ]),
  ]
}

function schemaAt([name, ...rest]: readonly string[], schema: JsonObject): JsonObject | undefined {
  if (name === undefined) return schema
  const properties = objectAt(schema, 'properties')
  const next = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties
  return isObject(next) ? schemaAt(rest, next) : undefined
}
