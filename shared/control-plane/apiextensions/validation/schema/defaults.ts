import { type FieldError, invalidValue } from '../../../apimachinery/errors/field.ts'
import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, sameJson, sortedMembers } from '../../../apimachinery/json/values.ts'
import { embeddedErrors } from '../../resource/embedded.ts'
import { hasRules, type SchemaTools } from '../../schema-tools.ts'
import { pruneObject } from '../../structural/prune.ts'
import { readSchema, type Schema } from '../../structural/schema.ts'
import { schemaErrors } from '../../structural/validate.ts'

/**
 * Defaults must be what the schema would leave as they are, and right by it and by its rules: as they stand,
 * without what defaults below would add to them (upstream's structuraldefaulting.ValidateDefaults). Those
 * within `additionalProperties` are ignored.
 */
export function defaultErrors(schema: JsonObject, at: string, tools: SchemaTools): FieldError[] {
  return below(schema, at).flatMap((child) => errorsFrom(child.schema, child.at, tools))
}

interface Placed {
  readonly schema: JsonObject
  readonly at: string
}

function below(schema: JsonObject, at: string): Placed[] {
  const { items } = schema
  return [
    ...(isObject(items) ? [{ schema: items, at: `${at}.items` }] : []),
    ...Object.entries(objectAt(schema, 'properties')).flatMap(([name, property]) =>
      isObject(property) ? [{ schema: property, at: `${at}.properties[${name}]` }] : [],
    ),
  ]
}

function errorsFrom(schema: JsonObject, at: string, tools: SchemaTools): FieldError[] {
  const { default: value } = schema
  const own =
    value === undefined || value === null ? [] : ownErrors(value, readSchema(schema), `${at}.default`, tools)
  return [...own, ...defaultErrors(schema, at, tools)]
}

function ownErrors(value: JsonValue, schema: Schema, at: string, tools: SchemaTools): FieldError[] {
  const holder = holderOf(schema)
  const kept = pruneObject({ value }, holder).value.value
  const pruned = sameJson(kept, value)
    ? []
    : [invalidValue(at, sortedMembers(value), 'must not have unknown fields')]
  const embedded = embeddedErrors({ value }, holder).map((error) => ({
    ...error,
    field: error.field.replace('value', () => at),
  }))
  if (embedded.length > 0) return [...pruned, ...embedded]
  const wrong = schemaErrors(value, schema, { at })
  return [...pruned, ...(wrong.length > 0 ? wrong : brokenRules(value, schema, at, tools))]
}

/** Makes the schema of an object that has such a value. */
function holderOf(schema: Schema): Schema {
  return { ...readSchema({ type: 'object' }), properties: new Map([['value', schema]]) }
}

/** Returns the rules that the default breaks, both if it stays as it is and if there was nothing before. */
function brokenRules(
  value: JsonValue,
  schema: Schema,
  at: string,
  { cel, rules }: SchemaTools,
): FieldError[] {
  if (!hasRules(schema)) return []
  const validator = new cel.cel.RuleValidator(schema, rules())
  const kept = validator.validate(value, schema, { at, old: value, keepsStored: false })
  return kept.length > 0 ? kept : validator.validate(value, schema, { at })
}
