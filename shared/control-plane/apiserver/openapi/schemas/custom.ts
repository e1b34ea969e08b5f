import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../../apimachinery/json/values.ts'
import type { ResourceDefinition } from '../../registry/definition/resource-definition.ts'
import { listNameOf, schemaNameOf } from './names.ts'
import { inOrder } from './order.ts'
import { published } from './structural.ts'
import { API_VERSION, KIND, metadataSchema, type OpenApiVersion, refTo } from './type-meta.ts'

/**
 * Returns the schemas, by name, of a kind that no Go struct describes, and of its lists, as
 * apiextensions-apiserver publishes them (pkg/controller/openapi/builder). In v2 a kind that keeps unknown
 * fields has no fields at all: kubectl would refuse all others.
 */
export function customSchemas(
  definition: ResourceDefinition,
  version: OpenApiVersion,
): [string, JsonObject][] {
  return [
    [schemaNameOf(definition), objectSchema(definition, version)],
    [listNameOf(definition), listSchema(definition, version)],
  ]
}

function objectSchema(definition: ResourceDefinition, version: OpenApiVersion): JsonObject {
  const { openApi } = definition
  const extensions = extensionsOf(definition, definition.kind)
  const isOpen = openApi === undefined || openApi['x-kubernetes-preserve-unknown-fields'] === true
  if (version === 'v2' && isOpen) return inOrder({ type: 'object', ...extensions })
  const schema = published(
    openApi ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    version,
  )
  const properties: JsonObject = {
    ...(isObject(schema.properties) ? schema.properties : {}),
    apiVersion: API_VERSION,
    kind: KIND,
    metadata: metadataSchema(version),
  }
  return inOrder({ ...schema, properties: sorted(properties), ...extensions })
}

function listSchema(definition: ResourceDefinition, version: OpenApiVersion): JsonObject {
  const { kind, plural, listKind = `${kind}List` } = definition
  return inOrder({
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: API_VERSION,
      items: {
        description: `List of ${plural}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md`,
        type: 'array',
        items: refTo(schemaNameOf(definition), version),
      },
      kind: KIND,
      metadata: metadataSchema(version, 'list'),
    },
    ...extensionsOf(definition, listKind),
  })
}

function extensionsOf(
  { group, version, selectableFields = {} }: ResourceDefinition,
  kind: string,
): JsonObject {
  const fields = Object.keys(selectableFields).map((fieldPath) => ({ fieldPath }))
  return {
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
    ...(fields.length > 0 ? { 'x-kubernetes-selectable-fields': fields } : {}),
  }
}

const sorted = (members: JsonObject): Record<string, JsonValue | undefined> =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
