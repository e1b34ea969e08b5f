import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, ownMember } from '../../../apimachinery/json/values.ts'
import { inOrder, mapMembers } from './order.ts'
import recorded from './recorded.json' with { type: 'json' }
import type { OpenApiVersion } from './type-meta.ts'

// Recorded from kube-apiserver 1.36.4: the schemas that the kinds of the built-in resources reach.

const V3 = '#/components/schemas/'
const V2 = '#/definitions/'

/**
 * Converts a recorded v3 schema to v2: without defaults and alternatives, references side by side with their
 * description (kube-openapi, pkg/builder and pkg/builder3: the same Go type gives both).
 */
function toV2(schema: JsonObject): JsonObject {
  const { default: _, oneOf, allOf, $ref, properties, items, additionalProperties, ...rest } = schema
  const [only] = Array.isArray(allOf) ? allOf : []
  const reference = isObject(only) ? only.$ref : $ref
  return inOrder({
    ...rest,
    // Alternatives of scalars, as of IntOrString and Quantity: v2 knows the text alone.
    ...(oneOf === undefined ? {} : { type: 'string' }),
    ...(isObject(properties) ? { properties: mapMembers(properties, toV2) } : {}),
    ...(isObject(items) ? { items: toV2(items) } : {}),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties: isObject(additionalProperties)
            ? toV2(additionalProperties)
            : additionalProperties,
        }),
    ...(typeof reference === 'string' ? { $ref: reference.replace(V3, V2) } : {}),
  })
}

const schemas: Readonly<Record<string, JsonObject | undefined>> = recorded
/** Kinds that every built-in group-version has. */
const SHARED = ['DeleteOptions', 'WatchEvent']
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.'

/** Group-versions in which the kinds that all groups share are registered, apart from the core group. */
export type GroupVersions = readonly { readonly group: string; readonly version: string }[]

/**
 * Returns the v3 schemas to which paths, and in turn schemas, refer, sorted by name.
 * @param custom the schemas that are not recorded
 */
export function reachedSchemas(
  paths: JsonObject,
  custom: ReadonlyMap<string, JsonObject>,
  groupVersions: GroupVersions,
): JsonObject {
  const reached = new Map<string, JsonObject>()
  const waiting = [...referencesIn(paths)]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.has(name)) continue
    const schema = custom.get(name) ?? recordedSchema(name, 'v3', groupVersions)
    if (schema === undefined) continue
    reached.set(name, schema)
    waiting.push(...referencesIn(schema))
  }
  return Object.fromEntries([...reached].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns a recorded schema for an OpenAPI version; undefined if none of that name is recorded. */
export function recordedSchema(
  name: string,
  version: OpenApiVersion,
  groupVersions: GroupVersions,
): JsonObject | undefined {
  const schema = ownMember(schemas, name)
  if (schema === undefined) return undefined
  const kind = SHARED.find((shared) => name === `${META}${shared}`)
  const registered =
    kind === undefined
      ? schema
      : {
          ...schema,
          'x-kubernetes-group-version-kind': [{ group: '', version: 'v1' }, ...groupVersions].map(
            ({ group, version: served }) => ({ group, kind, version: served }),
          ),
        }
  return version === 'v2' ? toV2(registered) : registered
}

/** Yields the names of the schemas to which a value refers, anywhere in it. */
export function* referencesIn(value: JsonValue | undefined): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* referencesIn(item)
  if (!isObject(value)) return
  for (const [name, member] of Object.entries(value)) {
    if (name === '$ref' && typeof member === 'string') yield member.slice(member.lastIndexOf('/') + 1)
    else yield* referencesIn(member)
  }
}
