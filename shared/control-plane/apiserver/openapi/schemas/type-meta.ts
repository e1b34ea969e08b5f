import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'

export type OpenApiVersion = 'v2' | 'v3'

const CONVENTIONS = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md'
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.'

export const API_VERSION: JsonObject = {
  description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${CONVENTIONS}#resources`,
  type: 'string',
}
export const KIND: JsonObject = {
  description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${CONVENTIONS}#types-kinds`,
  type: 'string',
}

/** The same of an object within another one. */
export const EMBEDDED_API_VERSION: JsonObject = {
  description: `apiVersion defines the versioned schema of this representation of an object. More info: ${CONVENTIONS}#resources`,
  type: 'string',
}
export const EMBEDDED_KIND: JsonObject = {
  description: `kind is a string value representing the type of this object. In CamelCase. More info: ${CONVENTIONS}#types-kinds`,
  type: 'string',
}

export function refTo(name: string, version: OpenApiVersion): JsonObject {
  return { $ref: `${version === 'v2' ? '#/definitions/' : '#/components/schemas/'}${name}` }
}

/** Returns the field `metadata` of an object or list; wrapped in v3, which allows nothing beside a `$ref`. */
export function metadataSchema(version: OpenApiVersion, of: 'object' | 'list' = 'object'): JsonObject {
  const reference = refTo(`${META}${of === 'object' ? 'ObjectMeta' : 'ListMeta'}`, version)
  const description =
    of === 'object'
      ? `Standard object's metadata. More info: ${CONVENTIONS}#metadata`
      : `Standard list metadata. More info: ${CONVENTIONS}#types-kinds`
  return version === 'v2' ? { description, ...reference } : { description, allOf: [reference] }
}
