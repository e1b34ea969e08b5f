import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../apimachinery/json/values.ts'
import { memberSchema, type Schema } from './schema.ts'

/** Returns the object with the schema's defaults for what is absent, or null where that is not allowed. */
export function withDefaults(object: JsonObject, schema: Schema): JsonObject {
  const value = defaulted(object, schema)
  return isObject(value) ? value : object
}

/** Removes members that are null where that is not allowed, unless there is a default for them. */
export function withoutNulls(object: JsonObject, schema: Schema): JsonObject {
  const value = nullsDropped(object, schema)
  return isObject(value) ? value : object
}

const isUnwantedNull = (value: JsonValue | undefined, schema: Schema | undefined): boolean =>
  value === null && schema !== undefined && !schema.nullable

function nullsDropped(value: JsonValue, schema: Schema | undefined): JsonValue {
  if (Array.isArray(value)) return value.map((item) => nullsDropped(item, schema?.items))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const member = memberSchema(schema, name)
      const dropped = isUnwantedNull(item, member) && member?.defaultValue === undefined
      return dropped ? [] : [[name, nullsDropped(item ?? null, member)]]
    }),
  )
}

function defaulted(value: JsonValue, schema: Schema | undefined): JsonValue {
  if (schema === undefined) return value
  if (Array.isArray(value)) return value.map((item) => filled(item, schema.items))
  if (!isObject(value)) return value
  const missing = [...schema.properties].flatMap(([name, property]): [string, JsonValue][] =>
    property.defaultValue === undefined || Object.hasOwn(value, name)
      ? []
      : [[name, structuredClone(property.defaultValue)]],
  )
  return Object.fromEntries(
    [...Object.entries(value), ...missing].map(([name, item]) => [
      name,
      filled(item ?? null, memberSchema(schema, name)),
    ]),
  )
}

function filled(item: JsonValue, schema: Schema | undefined): JsonValue {
  const given =
    isUnwantedNull(item, schema) && schema?.defaultValue !== undefined
      ? structuredClone(schema.defaultValue)
      : item
  return defaulted(given, schema)
}
