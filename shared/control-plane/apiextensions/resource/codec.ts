import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, sortedMembers } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import type { Codec, ExternalConversion } from '../../apiserver/registry/definition/codec.ts'
import { canonical } from '../../apiserver/schema/decode.ts'
import { unknownFields } from '../../apiserver/schema/unknown-fields.ts'
import type { WebhookConverter } from '../conversion/webhook-converter.ts'
import { withDefaults, withoutNulls } from '../structural/defaults.ts'
import { pruneObject } from '../structural/prune.ts'
import type { Schema } from '../structural/schema.ts'
import { unknownEmbeddedFields, withEmbeddedMetadata } from './embedded.ts'

const METADATA = 'meta.ObjectMeta'

export interface CodecOptions {
  readonly apiVersion: string
  readonly kind: string
  readonly schema: Schema
  /** The apiVersion that objects are stored as. */
  readonly stored: string
  /** Schemas of all versions, by apiVersion. */
  readonly schemas: ReadonlyMap<string, Schema>
  readonly openApis: ReadonlyMap<string, JsonObject>
  /** Converter between versions. Without one, only apiVersion changes. */
  readonly converter?: WebhookConverter
}

/**
 * Reads and writes the objects of one version of a custom resource, as upstream's
 * crdConversionRESTOptionsGetter does: what is stored is pruned and defaulted as the version that it is
 * stored as, and what a conversion gave is pruned as the version that it is now. Nulls that a version does
 * not allow are left out, but not of what is applied: they are refused.
 */
export function codecOf(options: CodecOptions): Codec {
  const { apiVersion, kind, schema: own, stored, schemas, converter } = options
  const schemaOf = (value: KubeObject): Schema => schemas.get(value.apiVersion ?? '') ?? own
  const pruned = (value: KubeObject): JsonObject => {
    const schema = schemaOf(value)
    return withoutNulls(pruneObject(value, schema).value, schema)
  }
  const read = (value: KubeObject): JsonObject => withDefaults(pruned(value), schemaOf(value))
  const renamed = (object: KubeObject, to: string): KubeObject =>
    object.apiVersion === to ? object : asObject(pruned({ ...object, apiVersion: to }))
  const decoded = (value: JsonObject): KubeObject => {
    const metadata = canonical(objectAt(value, 'metadata'), METADATA, 'keep')
    return asObject({ ...withDefaults(withEmbeddedMetadata(value, own), own), apiVersion, kind, metadata })
  }
  // Managed fields are computed from all fields of an object, so nothing is pruned for that.
  const rename = (object: KubeObject, to: string): KubeObject => ({ ...object, apiVersion: to })
  return {
    decode: (value) => decoded(withoutNulls(pruneObject(value, own).value, own)),
    decodeApplied: (value) => decoded(pruneObject(value, own).value),
    encode: (object) =>
      asObject(sortedMembers({ ...object, metadata: canonical(object.metadata, METADATA) })),
    unknownFields: (value) => [
      ...unknownFields(objectAt(value, 'metadata'), METADATA).map((path) => `metadata.${path}`),
      ...pruneObject(value, own).paths,
      ...unknownEmbeddedFields(value, own).sort(),
    ],
    fromStorage: (object) => asObject(sortedMembers(renamed(asObject(read(object)), apiVersion))),
    toStorage: (object) => renamed(object, stored),
    ...(options.openApis.size > 1 ? { versions: options.openApis } : {}),
    ...(converter ? { external: externally(converter, options, { read, pruned }) } : { rename }),
  }
}

interface Shaping {
  readonly read: (object: KubeObject) => JsonObject
  readonly pruned: (object: KubeObject) => JsonObject
}

function externally(
  converter: WebhookConverter,
  { apiVersion, stored }: CodecOptions,
  { read, pruned }: Shaping,
): ExternalConversion {
  const converted = async (objects: readonly KubeObject[], to: string): Promise<KubeObject[]> =>
    (await converter.convert(objects, to)).map((object) => asObject(sortedMembers(pruned(object))))
  return {
    fromStorage: async (objects) =>
      await converted(
        objects.map((object) => asObject(read(object))),
        apiVersion,
      ),
    toStorage: async (object) => {
      const [written] = await converted([object], stored)
      return written ?? object
    },
    convert: async (object, to) => {
      const [other] = await converter.convert([object], to)
      return other ?? object
    },
  }
}

function asObject(value: JsonValue): KubeObject {
  return isObject(value) ? { ...value, metadata: objectAt(value, 'metadata') } : { metadata: {} }
}
