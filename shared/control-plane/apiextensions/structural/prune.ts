import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../apimachinery/json/values.ts'
import type { Schema } from './schema.ts'

const META = new Set(['apiVersion', 'kind', 'metadata'])

/** Result of pruning: the value without what was removed, and the paths of that. */
interface Pruned {
  readonly value: JsonObject
  /** Paths such as `spec.a[0].b`, sorted. */
  readonly paths: readonly string[]
}

/** Drops the members that the schema of a resource does not declare; what every object has is kept. */
export function pruneObject(object: JsonObject, schema: Schema): Pruned {
  const paths: string[] = []
  const value = pruneValue(object, { ...schema, embedded: true }, '', paths)
  return { value: isObject(value) ? value : {}, paths: paths.sort() }
}

function pruneValue(value: JsonValue, schema: Schema | undefined, path: string, paths: string[]): JsonValue {
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      const at = `${path}[${index}]`
      return schema?.preservesUnknown && !schema.items ? item : pruneValue(item, schema?.items, at, paths)
    })
  }
  if (!isObject(value)) return value
  // Object.fromEntries defines members: one that is called __proto__ stays a member.
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const kept = pruneMember([name, item ?? null], schema, path ? `${path}.${name}` : name, paths)
      return kept === undefined ? [] : [[name, kept]]
    }),
  )
}

function pruneMember(
  [name, item]: readonly [string, JsonValue],
  schema: Schema | undefined,
  path: string,
  paths: string[],
): JsonValue | undefined {
  if (schema?.embedded && META.has(name)) return item
  const declared = schema?.properties.get(name)
  if (declared) return pruneValue(item, declared, path, paths)
  if (schema?.additional === 'any') return pruneValue(item, undefined, path, paths)
  if (schema?.additional) return pruneValue(item, schema.additional, path, paths)
  if (schema?.preservesUnknown) return item
  if (!META.has(path)) paths.push(path)
  return undefined
}
