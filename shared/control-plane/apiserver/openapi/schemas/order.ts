import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../../apimachinery/json/values.ts'

/** A schema's fields in kube-openapi's order; extensions follow, sorted, then `$ref`. */
const FIELDS = [
  ...[
    'description',
    'type',
    'nullable',
    'format',
    'title',
    'default',
    'maximum',
    'exclusiveMaximum',
    'minimum',
  ],
  ...[
    'exclusiveMinimum',
    'maxLength',
    'minLength',
    'pattern',
    'maxItems',
    'minItems',
    'uniqueItems',
    'multipleOf',
  ],
  ...['enum', 'maxProperties', 'minProperties', 'required', 'items', 'allOf', 'oneOf', 'anyOf', 'not'],
  ...['properties', 'additionalProperties', 'externalDocs', 'example'],
]
const RANKS = new Map(FIELDS.map((name, index) => [name, index]))

/** Returns the schema with its own fields in order; those that are undefined are left out. */
export function inOrder(schema: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const entries = Object.entries(schema).filter(
    (entry): entry is [string, JsonValue] => entry[1] !== undefined,
  )
  return Object.fromEntries(entries.sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1)))
}

function rank(name: string): number {
  return RANKS.get(name) ?? (name === '$ref' ? FIELDS.length + 1 : FIELDS.length)
}

/** Maps every member of an object, in the order of their names. */
export function mapMembers(
  value: JsonValue | undefined,
  change: (member: JsonObject) => JsonValue,
): JsonObject {
  if (!isObject(value)) return {}
  const entries = Object.entries(value).map(([name, member]): [string, JsonValue] => [
    name,
    isObject(member) ? change(member) : (member ?? null),
  ])
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
