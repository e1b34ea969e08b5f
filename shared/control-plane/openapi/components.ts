import type { JsonObject, JsonValue } from '../json.ts'
import { isObject } from '../json.ts'
import type { ResourceDefinition } from '../registry/index.ts'
// Recorded from kube-apiserver 1.36.4: the schemas that the kinds of the built-in resources reach.
import recorded from './schemas.json' with { type: 'json' }

const PREFIX = '#/components/schemas/'
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.'
const schemas: Readonly<Record<string, JsonObject | undefined>> = recorded

/** The name of a resource's schema in the document. */
export function schemaNameOf({ schema, group, version, kind }: ResourceDefinition): string {
  if (!schema)
    return `${[...group.split('.').reverse(), version, kind].filter((part) => part !== '').join('.')}`
  const [pkg, type] = schema.split('.')
  return `io.k8s.api.${pkg}.v1.${type}`
}

export function refTo(name: string): JsonObject {
  return { $ref: `${PREFIX}${name}` }
}

/** The schemas of the resources and of what they refer to. */
export function schemasOf(definitions: readonly ResourceDefinition[]): JsonObject {
  const reached = new Map<string, JsonObject>()
  const add = (name: string): void => {
    const schema = schemas[name]
    if (!schema || reached.has(name)) return
    reached.set(name, schema)
    for (const reference of references(schema)) add(reference)
  }
  for (const name of ['DeleteOptions', 'Patch', 'Status', 'WatchEvent']) add(`${META}${name}`)
  for (const definition of definitions) {
    const name = schemaNameOf(definition)
    if (!definition.schema) reached.set(name, untyped(definition))
    add(name)
    add(`${name}List`)
    if (!definition.schema) add(`${META}ObjectMeta`)
  }
  return Object.fromEntries([...reached].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A kind of which nothing is known but its metadata. */
function untyped({ group, version, kind }: ResourceDefinition): JsonObject {
  return {
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { allOf: [refTo(`${META}ObjectMeta`)], default: {} },
    },
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
    'x-kubernetes-preserve-unknown-fields': true,
  }
}

function references(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(references)
  if (!isObject(value)) return []
  const { $ref } = value
  const own = typeof $ref === 'string' ? [$ref.slice(PREFIX.length)] : []
  return [...own, ...Object.values(value).flatMap(references)]
}
