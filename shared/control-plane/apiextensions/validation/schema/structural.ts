import type { FieldError } from '../../../apimachinery/errors/field.ts'
import { sameJson } from '../../../apimachinery/json/values.ts'
import type { Field } from '../../../apimachinery/validation/field.ts'
import { alternativesOf, fieldsOf } from './walk.ts'

type Level = 'root' | 'item' | 'field'

const EMBEDDED = 'x-kubernetes-embedded-resource'
const INT_OR_STRING = 'x-kubernetes-int-or-string'
const PRESERVE = 'x-kubernetes-preserve-unknown-fields'
const EITHER = [{ type: 'integer' }, { type: 'string' }]

/** Returns what keeps a schema from being structural (KEP-1979), sorted as upstream sorts it. */
export function structuralErrors(schema: Field): FieldError[] {
  const text = ({ field, message }: FieldError): string => `${field}: ${message}`
  return schema
    .collect((root) => {
      validateSpine(root, 'root')
      validateAlternatives(root, root)
    })
    .sort((a, b) => (text(a) < text(b) ? -1 : 1))
}

/** Validates the part of the schema that describes fields, which is outside of `anyOf` and the like. */
function validateSpine(schema: Field, level: Level): void {
  const items = schema.child('items')
  if (schema.object.type === 'array' && !items.ifObject) items.required('must be specified')
  for (const child of fieldsOf(schema)) validateSpine(child, child.path === items.path ? 'item' : 'field')
  if (schema.object[INT_OR_STRING] === true)
    for (const name of [PRESERVE, EMBEDDED])
      if (schema.object[name] === true)
        schema.child(name).invalid(`must be false if ${INT_OR_STRING} is true`)
  for (const child of spineAlternatives(schema)) validateNested(child)
  validateType(schema, level)
}

/** Returns the alternatives to check. The two forms in which an int-or-string may say what it is are none. */
function spineAlternatives(schema: Field): Field[] {
  const [either, both] = [schema.child('anyOf'), schema.child('allOf').item(0)]
  const skipped = sameJson(either.value, EITHER) ? [either.item(0).path, either.item(1).path] : []
  return alternativesOf(schema)
    .filter(({ path }) => !skipped.includes(path))
    .map((child) => {
      const { anyOf, ...rest } = child.object
      return child.path === both.path && sameJson(anyOf, EITHER) ? child.with(rest) : child
    })
}

const EMPTY: Record<Level, string> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function validateType(schema: Field, level: Level): void {
  if (schema.object[PRESERVE] === true) return
  if (schema.object[INT_OR_STRING] !== true) schema.child('type').notEmpty(EMPTY[level])
  const properties = schema.child('properties')
  if (schema.object[EMBEDDED] === true && Object.keys(properties.object).length === 0)
    properties.required(`must not be empty if ${EMBEDDED} is true without ${PRESERVE}`)
}

const MUST_BE_EMPTY: readonly (readonly [name: string, text: string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  [PRESERVE, 'must be false to be structural'],
  [EMBEDDED, 'must be false to be structural'],
  [INT_OR_STRING, 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
]

/** Validates a schema within `anyOf` and the like, which may only restrict values. */
function validateNested(schema: Field): void {
  for (const [name, why] of MUST_BE_EMPTY) {
    const keyword = schema.child(name)
    if (keyword.value !== '' && keyword.value !== false) keyword.ifSet?.forbidden(why)
  }
  schema.child('properties').key('metadata').ifObject?.forbidden('must not be specified in a nested context')
  for (const child of [...fieldsOf(schema), ...alternativesOf(schema)]) validateNested(child)
}

/** Checks that fields which `anyOf` and the like restrict are declared outside of them, too. */
function validateAlternatives(nested: Field, declared: Field): void {
  for (const alternative of alternativesOf(nested)) validateDeclared(alternative, declared)
}

/** Checks the same field in an alternative and in the schema itself. */
function validateDeclared(nested: Field, declared: Field): void {
  if (!declared.ifObject) {
    declared.required(`because it is defined in ${nested.path}`)
    return
  }
  validateAlternatives(nested, declared)
  if (nested.child('items').ifObject) validateDeclared(nested.child('items'), declared.child('items'))
  const [properties, known] = [nested.child('properties'), declared.child('properties')]
  for (const name of Object.keys(properties.object))
    if (properties.key(name).ifObject) validateDeclared(properties.key(name), known.key(name))
}
