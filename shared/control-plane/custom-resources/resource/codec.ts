import { isObject, type JsonObject, type JsonValue, objectAt } from '../../json.ts'
import type { KubeObject } from '../../objects.ts'
import { apiVersionOf, type Codec } from '../../registry/index.ts'
import { canonical, unknownFields } from '../../schema/index.ts'
import { pruneObject, type Schema, withDefaults } from '../../structural/index.ts'

const METADATA = 'meta.ObjectMeta'

export interface CodecOptions {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The version that objects are stored as. */
  readonly storageVersion: string
  readonly schema: Schema
}

/** Reads and writes the objects of one version of a custom resource. Conversion between versions changes apiVersion alone. */
export function codecOf(options: CodecOptions): Codec {
  const { group, kind, schema } = options
  const apiVersion = apiVersionOf(options)
  const stored = apiVersionOf({ group, version: options.storageVersion })
  const shaped = (value: JsonObject): JsonObject => withDefaults(pruneObject(value, schema).value, schema)
  return {
    decode: (value) => {
      const metadata = canonical(objectAt(value, 'metadata'), METADATA, 'keep')
      return asObject({ ...shaped(value), apiVersion, kind, metadata })
    },
    encode: (object) => asObject(sortedDeep({ ...object, metadata: canonical(object.metadata, METADATA) })),
    unknownFields: (value) => [
      ...unknownFields(objectAt(value, 'metadata'), METADATA).map((path) => `metadata.${path}`),
      ...pruneObject(value, schema).paths,
    ],
    fromStorage: (object) => asObject(sortedDeep({ ...shaped(object), apiVersion })),
    toStorage: (object) => ({ ...object, apiVersion: stored }),
  }
}

function asObject(value: JsonValue): KubeObject {
  return isObject(value) ? { ...value, metadata: objectAt(value, 'metadata') } : { metadata: {} }
}

/** Go writes maps with their keys sorted. */
function sortedDeep(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortedDeep)
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([name, item]): [string, JsonValue][] =>
    item === undefined ? [] : [[name, sortedDeep(item)]],
  )
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
