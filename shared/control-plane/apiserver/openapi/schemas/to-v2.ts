import { isObject, type JsonObject } from '../../../apimachinery/json/index.ts'
import { inOrder, mapMembers } from './order.ts'

const V3 = '#/components/schemas/'
const V2 = '#/definitions/'

/**
 * Converts a recorded v3 schema to v2: without defaults and alternatives, references side by side with their
 * description (kube-openapi, pkg/builder and pkg/builder3: the same Go type gives both).
 */
export function toV2(schema: JsonObject): JsonObject {
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
