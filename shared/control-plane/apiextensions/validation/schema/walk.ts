import type { Field } from '../../../apimachinery/validation/field.ts'

/** Returns a schema and all below it that describe fields, with the alternatives of `anyOf` and the like. */
export function everySchema(schema: Field): Field[] {
  return [schema, ...fieldsOf(schema).flatMap(everySchema), ...alternativesOf(schema).flatMap(everySchema)]
}

/** Returns the schemas of a value's parts: members, other members, items. */
export function fieldsOf(schema: Field): Field[] {
  const properties = schema.child('properties')
  return [
    schema.child('items'),
    ...Object.keys(properties.object).map((name) => properties.key(name)),
    schema.child('additionalProperties'),
  ].filter(({ ifObject }) => ifObject)
}

export function alternativesOf(schema: Field): Field[] {
  return [
    ...['anyOf', 'allOf', 'oneOf'].flatMap((name) => schema.child(name).items()),
    schema.child('not'),
  ].filter(({ ifObject }) => ifObject)
}
