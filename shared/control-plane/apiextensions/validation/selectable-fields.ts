import { tooMany } from '../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, stringAt } from '../../apimachinery/json/values.ts'
import type { Field } from '../../apimachinery/validation/field.ts'

const MOST = 8
const TYPES = new Set(['string', 'boolean', 'integer'])

/** Validates the `selectableFields` of a version (KEP-4358). */
export function validateSelectableFields(fields: Field, schema: JsonObject): void {
  const seen = new Set<string>()
  for (const path of fields.items().map((field) => field.child('jsonPath'))) {
    validatePath(path, schema)
    path.with(path.text).unique(seen)
  }
  if (seen.size > MOST) fields.errors.push(tooMany(fields.path, seen.size, MOST))
}

function validatePath(path: Field, schema: JsonObject): void {
  const { text } = path
  if (!path.notEmpty()) return
  const found = schemaAt(text.slice(1).split('.'), schema)
  if (!text.startsWith('.')) path.invalid(`is an invalid path: expected [ or . but got: ${text}`)
  else if (text.includes('[')) path.invalid('is an invalid path: array notation is not allowed')
  else if (!found) path.invalid('is an invalid path: does not refer to a valid field')
  else {
    if (text.startsWith('.metadata')) path.invalid('must not point to fields in metadata')
    if (!TYPES.has(stringAt(found, 'type')))
      path.invalid(
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      )
  }
}

function schemaAt([name, ...rest]: readonly string[], schema: JsonObject): JsonObject | undefined {
  if (name === undefined) return schema
  const properties = objectAt(schema, 'properties')
  const next = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties
  return isObject(next) ? schemaAt(rest, next) : undefined
}
