import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'
import { canonical } from '../schema/decode.ts'
import { apiVersionOf } from './definition/names.ts'
import type { ResourceDefinition } from './definition/resource-definition.ts'

/** Kind as which JSON can be read: a resource, or one of its subresources. */
export type DecodedKind = Pick<
  ResourceDefinition,
  'group' | 'version' | 'kind' | 'schema' | 'codec' | 'strategy'
>

/**
 * Decodes the submitted JSON as an object of the resource: known fields only, in canonical order, defaults
 * filled in. Throws DecodeError if a value has the wrong type.
 */
export function decodeObject(definition: DecodedKind, value: JsonObject): KubeObject {
  if (definition.codec) return definition.codec.decode(value)
  const typed: JsonObject = { ...value, kind: definition.kind, apiVersion: apiVersionOf(definition) }
  const object = withMetadata(definition.schema ? canonical(typed, definition.schema, 'keep') : typed)
  definition.strategy?.setDefaults?.(object)
  return object
}

function withMetadata(value: JsonObject): KubeObject {
  const { kind, apiVersion, metadata, ...rest } = value
  return {
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(typeof apiVersion === 'string' ? { apiVersion } : {}),
    metadata:
      typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? { ...metadata } : {},
    ...rest,
  }
}

/** Brings an object that a strategy changed back into canonical order. */
export function encodeObject(definition: ResourceDefinition, object: KubeObject): KubeObject {
  if (definition.codec) return definition.codec.encode(object)
  return definition.schema ? withMetadata(canonical(object, definition.schema)) : withMetadata(object)
}
