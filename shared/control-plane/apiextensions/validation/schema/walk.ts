import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, objectsAt } from '../../../apimachinery/json/values.ts'

/** A schema within another, with its path. */
interface Placed {
  readonly schema: JsonObject
  readonly at: string
  /** 0 for the root. */
  readonly depth: number
}

/** Returns a schema and all below it that describe fields, with the alternatives of `anyOf` and the like. */
export function everySchema(schema: JsonObject, at: string, depth = 0): Placed[] {
  const below = [...fieldsOf(schema, at), ...alternativesOf(schema, at)]
  return [{ schema, at, depth }, ...below.flatMap((child) => everySchema(child.schema, child.at, depth + 1))]
}

type Child = Omit<Placed, 'depth'>

/** Returns the schemas of a value's parts: members, other members, items. */
export function fieldsOf(schema: JsonObject, at: string): Child[] {
  const { items, additionalProperties } = schema
  return [
    ...(isObject(items) ? [{ schema: items, at: `${at}.items` }] : []),
    ...Object.entries(objectAt(schema, 'properties')).flatMap(([name, property]) =>
      isObject(property) ? [{ schema: property, at: `${at}.properties[${name}]` }] : [],
    ),
    ...(isObject(additionalProperties)
      ? [{ schema: additionalProperties, at: `${at}.additionalProperties` }]
      : []),
  ]
}

export function alternativesOf(schema: JsonObject, at: string): Child[] {
  const { not } = schema
  return [
    ...['anyOf', 'allOf', 'oneOf'].flatMap((name) =>
      objectsAt(schema, name).map((alternative, index) => ({
        schema: alternative,
        at: `${at}.${name}[${index}]`,
      })),
    ),
    ...(isObject(not) ? [{ schema: not, at: `${at}.not` }] : []),
  ]
}
