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

/** The name of the schema of a resource's lists. */
export function listNameOf(definition: ResourceDefinition): string {
  const name = schemaNameOf(definition)
  const { kind, listKind } = definition
  return listKind ? `${name.slice(0, name.length - kind.length)}${listKind}` : `${name}List`
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
    if (definition.schema) {
      add(name)
      add(`${name}List`)
    } else {
      reached.set(name, untyped(definition))
      reached.set(listNameOf(definition), untypedList(definition))
      add(`${META}ObjectMeta`)
      add(`${META}ListMeta`)
    }
  }
  return Object.fromEntries([...reached].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const API_VERSION: JsonObject = {
  description:
    'APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources',
  type: 'string',
}
const KIND: JsonObject = {
  description:
    'Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
  type: 'string',
}

/** A kind that no Go struct describes: by its own schema, or with nothing known but its metadata. */
function untyped({ group, version, kind, openApi }: ResourceDefinition): JsonObject {
  const { properties, ...schema } = openApi ?? { 'x-kubernetes-preserve-unknown-fields': true }
  return {
    type: 'object',
    ...schema,
    properties: {
      ...(isObject(properties) ? properties : {}),
      apiVersion: API_VERSION,
      kind: KIND,
      metadata: {
        description:
          "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
        allOf: [refTo(`${META}ObjectMeta`)],
      },
    },
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
  }
}

function untypedList(definition: ResourceDefinition): JsonObject {
  const { group, version, kind, listKind = `${kind}List` } = definition
  return {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: API_VERSION,
      items: {
        description: `List of ${definition.plural}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md`,
        type: 'array',
        items: refTo(schemaNameOf(definition)),
      },
      kind: KIND,
      metadata: {
        description:
          'Standard list metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
        allOf: [refTo(`${META}ListMeta`)],
      },
    },
    'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
  }
}

function references(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(references)
  if (!isObject(value)) return []
  const { $ref } = value
  const own = typeof $ref === 'string' ? [$ref.slice(PREFIX.length)] : []
  return [...own, ...Object.values(value).flatMap(references)]
}
