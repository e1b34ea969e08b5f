import { type JsonObject, type JsonValue, jsonText } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, stringsAt } from '../../../apimachinery/json/values.ts'
import { inOrder, mapMembers } from './order.ts'
import { EMBEDDED_API_VERSION, EMBEDDED_KIND, metadataSchema, type OpenApiVersion } from './type-meta.ts'

type Members = Record<string, JsonValue | undefined>

const PRESERVES = 'x-kubernetes-preserve-unknown-fields'
const EMBEDDED = 'x-kubernetes-embedded-resource'
const INT_OR_STRING = 'x-kubernetes-int-or-string'
const VALIDATIONS = 'x-kubernetes-validations'
/** Members that are written only if they are true. */
const FLAGS = [
  PRESERVES,
  EMBEDDED,
  INT_OR_STRING,
  'nullable',
  'uniqueItems',
  'exclusiveMinimum',
  'exclusiveMaximum',
]
const JUNCTORS = ['allOf', 'anyOf', 'oneOf', 'not']
const RULE_FIELDS = ['rule', 'message', 'messageExpression', 'reason', 'fieldPath', 'optionalOldSelf']
const EITHER: JsonValue = [{ type: 'integer' }, { type: 'string' }]

/** Returns a structural schema of a CustomResourceDefinition for a document of an OpenAPI version. */
export function published(source: JsonObject, version: OpenApiVersion): JsonObject {
  const schema: Members = { ...source, ...rulesOf(source, version) }
  for (const flag of FLAGS) if (schema[flag] !== true) delete schema[flag]
  const { properties, items, additionalProperties } = source
  if (isObject(properties)) schema.properties = mapMembers(properties, (member) => published(member, version))
  if (isObject(items)) schema.items = published(items, version)
  if (isObject(additionalProperties)) schema.additionalProperties = published(additionalProperties, version)
  if (version === 'v2') reduce(schema, source)
  else unfold(schema)
  embed(schema, version)
  return inOrder(schema)
}

/** Adapts a schema to v3: the types of an int-or-string are in OpenAPI's words too, unless they were. */
function unfold(schema: Members): void {
  for (const junctor of JUNCTORS)
    if (schema[junctor] !== undefined) schema[junctor] = ordered(schema[junctor])
  if (schema[INT_OR_STRING] !== true || tellsTypes(schema)) return
  if (schema.anyOf === undefined) schema.anyOf = EITHER
  else schema.allOf = [{ anyOf: EITHER }, ...(Array.isArray(schema.allOf) ? schema.allOf : [])]
}

function tellsTypes({ anyOf, allOf }: Members): boolean {
  const first = Array.isArray(allOf) ? allOf[0] : undefined
  const either = jsonText(EITHER)
  return jsonText(anyOf) === either || (isObject(first) && jsonText(first.anyOf) === either)
}

/**
 * Adapts a schema to v2 (upstream's pkg/controller/openapi/v2). It drops what v2 cannot say, and what kubectl
 * would then take for all that is allowed.
 */
function reduce(schema: Members, { properties, additionalProperties }: JsonObject): void {
  for (const name of [...JUNCTORS, 'default']) delete schema[name]
  const { nullable, [PRESERVES]: preserves } = schema
  if (nullable || preserves) {
    delete schema.items
    delete schema.properties
  }
  if (nullable) {
    delete schema.nullable
    delete schema.type
  }
  if (Array.isArray(schema.enum)) schema.enum = schema.enum.map(asFloat)
  if (schema.type === 'array' && schema.items === undefined) delete schema.type
  if (schema.type === 'object' && preserves) delete schema.type
  const optional = isObject(properties) && schema.properties !== undefined ? properties : {}
  const required =
    isObject(additionalProperties) && additionalProperties.nullable === true
      ? []
      : stringsAt(schema, 'required')
  schema.required = required.filter((name) => !isNullable(optional[name]))
  if (schema.required.length === 0) delete schema.required
}

/** Converts an int64, which upstream's reader of v2 does not know. */
const asFloat = (value: JsonValue): JsonValue => (typeof value === 'bigint' ? Number(value) : value)

const isNullable = (member: JsonValue | undefined): boolean => isObject(member) && member.nullable === true

/** Adds all objects' members to an object with its own kind; not in v2 if it keeps unknown fields. */
function embed(schema: Members, version: OpenApiVersion): void {
  if (schema[EMBEDDED] !== true || (version === 'v2' && schema[PRESERVES] === true)) return
  const own = isObject(schema.properties) ? schema.properties : {}
  const all: JsonObject = {
    ...own,
    apiVersion: EMBEDDED_API_VERSION,
    kind: EMBEDDED_KIND,
    metadata: metadataSchema(version),
  }
  schema.properties = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
  const required = stringsAt(schema, 'required')
  schema.required = [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))]
}

/** Returns the rules: in v3 in the order of their Go struct, in v2 in that of a map. */
function rulesOf({ [VALIDATIONS]: rules }: JsonObject, version: OpenApiVersion): Members {
  if (!Array.isArray(rules) || rules.length === 0) return { [VALIDATIONS]: undefined }
  const names = version === 'v2' ? [...RULE_FIELDS].sort() : RULE_FIELDS
  const inFields = (rule: JsonValue): JsonValue =>
    isObject(rule)
      ? Object.fromEntries(names.flatMap((name) => (rule[name] === undefined ? [] : [[name, rule[name]]])))
      : rule
  return { [VALIDATIONS]: rules.map(inFields) }
}

/** Schemas within junctors, which have no types: their fields in order. */
function ordered(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => ordered(item) ?? null)
  if (!isObject(value)) return value
  const schema: Members = { ...value, ...rulesOf(value, 'v3') }
  for (const junctor of [...JUNCTORS, 'items'])
    if (schema[junctor] !== undefined) schema[junctor] = ordered(schema[junctor])
  if (isObject(value.properties))
    schema.properties = mapMembers(value.properties, (member) => ordered(member) ?? null)
  return inOrder(schema)
}
