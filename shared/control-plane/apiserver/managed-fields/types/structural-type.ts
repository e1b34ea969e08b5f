import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, listAt, objectAt, stringAt, stringsAt } from '../../../apimachinery/json/values.ts'
import { ATOMIC, DEDUCED, type MapType, type MergeType, UNTYPED } from './merge-type.ts'
import { structType } from './struct-type.ts'

const METADATA = 'meta.ObjectMeta'

/**
 * Returns the type of a custom resource by its structural schema (`openAPIV3Schema` of a
 * CustomResourceDefinition), with its extensions `x-kubernetes-list-type`, `-list-map-keys`, `-map-type`,
 * `-int-or-string` and `-preserve-unknown-fields`. Without a schema only metadata has rules, and the rest is
 * deduced from the values.
 */
export function customResourceType(schema?: JsonObject): MapType {
  const root = schema ? mapOf(schema, false) : DEDUCED.map
  const known = new Map<string, MergeType>([
    ['apiVersion', UNTYPED],
    ['kind', UNTYPED],
    ['metadata', structType(METADATA) ?? DEDUCED],
  ])
  return {
    kind: 'map',
    atomic: false,
    member: (name) => known.get(name) ?? root.member(name),
    ...(root.others ? { others: root.others } : {}),
  }
}

/** @param preserved whether a schema further up keeps fields that it does not know */
function typeOf(schema: JsonObject, preserved: boolean): MergeType {
  if (schema['x-kubernetes-int-or-string'] === true) return DEDUCED
  if (schema['x-kubernetes-embedded-resource'] === true) return embedded(schema, preserved)
  switch (stringAt(schema, 'type')) {
    case 'object':
      return mapOf(schema, preserved)
    case 'array':
      return listOf(schema, preserved)
    case 'integer':
    case 'number':
      return { kind: 'scalar', scalar: 'number' }
    case 'string':
      return { kind: 'scalar', scalar: 'string' }
    case 'boolean':
      return { kind: 'scalar', scalar: 'boolean' }
    default:
      return { kind: 'any', map: mapOf(schema, preserved), list: { ...DEDUCED.list } }
  }
}

function mapOf(schema: JsonObject, above: boolean): MapType {
  const preserved = above || schema['x-kubernetes-preserve-unknown-fields'] === true
  const properties = new Map(
    Object.entries(objectAt(schema, 'properties')).filter((entry): entry is [string, JsonObject] =>
      isObject(entry[1]),
    ),
  )
  const others = othersOf(schema, preserved, properties.size === 0)
  return {
    kind: 'map',
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    member: (name) => {
      const property = properties.get(name)
      return property && typeOf(property, preserved)
    },
    defaultOf: (name) => properties.get(name)?.default,
    ...(others ? { others } : {}),
  }
}

function othersOf(schema: JsonObject, preserved: boolean, free: boolean): MergeType | undefined {
  const additional: JsonValue | undefined = schema.additionalProperties
  if (isObject(additional)) return typeOf(additional, preserved)
  if (additional === true) return DEDUCED
  return additional === undefined && (preserved || free) ? DEDUCED : undefined
}

function listOf(schema: JsonObject, preserved: boolean): MergeType {
  const relation = schema['x-kubernetes-list-type']
  const items = objectAt(schema, 'items')
  return {
    kind: 'list',
    relation: relation === 'map' || relation === 'set' ? relation : 'atomic',
    keys:
      listAt(schema, 'x-kubernetes-list-map-keys').length > 0
        ? stringsAt(schema, 'x-kubernetes-list-map-keys')
        : [],
    element: Object.keys(items).length > 0 ? typeOf(items, preserved) : ATOMIC,
  }
}

function embedded(schema: JsonObject, preserved: boolean): MapType {
  const map = mapOf(schema, preserved)
  const metadata = structType(METADATA) ?? DEDUCED
  return {
    ...map,
    member: (name) =>
      name === 'metadata'
        ? metadata
        : (map.member(name) ?? (name === 'apiVersion' || name === 'kind' ? UNTYPED : undefined)),
  }
}
