import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, sameJson } from '../../apimachinery/json/values.ts'

const DEFINITION = '#/definitions/'
/** Member that names the kinds of a definition. It may differ between servers that have the same type. */
const KINDS = 'x-kubernetes-group-version-kind'

/**
 * Renames those definitions of the document whose names are taken by others: `Name_v2`, as kube-openapi's
 * aggregator does.
 * @param taken the definition that has a name by now; undefined for a free one
 */
export function withFreeNames(
  document: JsonObject,
  taken: (name: string) => JsonValue | undefined,
): JsonObject {
  const definitions = objectAt(document, 'definitions')
  const names = new Map<string, string>()
  for (const [name, definition] of Object.entries(definitions)) {
    if (isTaken(taken(name), definition)) names.set(name, freeName(name, definition, taken))
  }
  if (names.size === 0) return document
  const renamed = Object.entries(definitions).map(([name, definition]) => [
    names.get(name) ?? name,
    definition,
  ])
  const all = { ...document, definitions: Object.fromEntries(renamed) }
  return JSON.parse(JSON.stringify(all), (key, value) =>
    key === '$ref' && typeof value === 'string' ? renamedReference(value, names) : value,
  )
}

function freeName(
  name: string,
  definition: JsonValue | undefined,
  taken: (name: string) => JsonValue | undefined,
): string {
  let count = 2
  while (isTaken(taken(`${name}_v${count}`), definition)) count++
  return `${name}_v${count}`
}

function isTaken(by: JsonValue | undefined, definition: JsonValue | undefined): boolean {
  return by !== undefined && !sameJson(withoutKinds(by), withoutKinds(definition))
}

function withoutKinds(definition: JsonValue | undefined): JsonValue | undefined {
  return isObject(definition) ? { ...definition, [KINDS]: null } : definition
}

function renamedReference(reference: string, names: ReadonlyMap<string, string>): string {
  if (!reference.startsWith(DEFINITION)) return reference
  const name = reference.slice(DEFINITION.length)
  return `${DEFINITION}${names.get(name) ?? name}`
}
