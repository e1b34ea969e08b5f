import {
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from '../../../apimachinery/errors/field.ts'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, objectAt, ownMember, sameJson, stringAt } from '../../../apimachinery/json/values.ts'
import { alternativesOf, fieldsOf } from './walk.ts'

type Level = 'root' | 'item' | 'field'
interface Place {
  readonly at: string
  readonly level: Level
}

const EMBEDDED = 'x-kubernetes-embedded-resource'
const INT_OR_STRING = 'x-kubernetes-int-or-string'
const PRESERVE = 'x-kubernetes-preserve-unknown-fields'
const EITHER = [{ type: 'integer' }, { type: 'string' }]

/** Returns what keeps a schema from being structural (KEP-1979), sorted as upstream sorts it. */
export function structuralErrors(schema: JsonObject, at: string): FieldError[] {
  const errors = [...spineErrors(schema, { at, level: 'root' }), ...completenessErrors(schema, at)]
  const text = ({ field, message }: FieldError): string => `${field}: ${message}`
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : 1))
}

/** Validates the part of the schema that describes fields, which is outside of `anyOf` and the like. */
function spineErrors(schema: JsonObject, { at, level }: Place): FieldError[] {
  return [
    ...(schema.type === 'array' && !isObject(schema.items)
      ? [required(`${at}.items`, 'must be specified')]
      : []),
    ...fieldsOf(schema, at).flatMap((child) =>
      spineErrors(child.schema, { at: child.at, level: child.at === `${at}.items` ? 'item' : 'field' }),
    ),
    ...extensionErrors(schema, at),
    ...spineAlternatives(schema, at).flatMap((child) => nestedErrors(child.schema, child.at)),
    ...typeErrors(schema, { at, level }),
  ]
}

/** Returns the alternatives to check. The two forms in which an int-or-string may say what it is are none. */
function spineAlternatives(schema: JsonObject, at: string): { schema: JsonObject; at: string }[] {
  const skipped = new Set<string>()
  if (sameJson(schema.anyOf, EITHER)) for (const index of [0, 1]) skipped.add(`${at}.anyOf[${index}]`)
  return alternativesOf(schema, at).flatMap((child) => {
    if (skipped.has(child.at)) return []
    if (child.at === `${at}.allOf[0]` && sameJson(child.schema.anyOf, EITHER)) {
      const { anyOf, ...rest } = child.schema
      return [{ schema: rest, at: child.at }]
    }
    return [child]
  })
}

function extensionErrors(schema: JsonObject, at: string): FieldError[] {
  if (schema[INT_OR_STRING] !== true) return []
  return [PRESERVE, EMBEDDED]
    .filter((name) => schema[name] === true)
    .map((name) => invalidValue(`${at}.${name}`, true, `must be false if ${INT_OR_STRING} is true`))
}

const EMPTY: Record<Level, string> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function typeErrors(schema: JsonObject, { at, level }: Place): FieldError[] {
  const isUntyped = stringAt(schema, 'type') === '' && schema[INT_OR_STRING] !== true
  const isBare = schema[EMBEDDED] === true && Object.keys(objectAt(schema, 'properties')).length === 0
  if (schema[PRESERVE] === true) return []
  return [
    ...(isUntyped ? [required(`${at}.type`, EMPTY[level])] : []),
    ...(isBare
      ? [required(`${at}.properties`, `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`)]
      : []),
  ]
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
function nestedErrors(schema: JsonObject, at: string): FieldError[] {
  return [
    ...MUST_BE_EMPTY.flatMap(([name, text]) => {
      const value = schema[name]
      const isEmpty = value === undefined || value === '' || value === false
      return isEmpty ? [] : [forbiddenField(`${at}.${name}`, text)]
    }),
    ...(isObject(objectAt(schema, 'properties').metadata)
      ? [forbiddenField(`${at}.properties[metadata]`, 'must not be specified in a nested context')]
      : []),
    ...[...fieldsOf(schema, at), ...alternativesOf(schema, at)].flatMap((child) =>
      nestedErrors(child.schema, child.at),
    ),
  ]
}

/** The same field in the schema itself and in an alternative of it. */
interface Pair {
  /** Undefined where only the alternative has it. */
  readonly declared: JsonObject | undefined
  readonly at: string
  readonly nested: JsonObject
  readonly nestedAt: string
}

/** Checks that fields which `anyOf` and the like restrict are declared outside of them, too. */
function completenessErrors(schema: JsonObject, at: string): FieldError[] {
  return alternatives({ declared: schema, at, nested: schema, nestedAt: at })
}

function alternatives({ nested, nestedAt, ...rest }: Pair): FieldError[] {
  return alternativesOf(nested, nestedAt).flatMap((child) =>
    undeclared({ ...rest, nested: child.schema, nestedAt: child.at }),
  )
}

function undeclared(pair: Pair): FieldError[] {
  const { declared, at, nested, nestedAt } = pair
  if (!declared) return [required(at, `because it is defined in ${nestedAt}`)]
  const known = objectAt(declared, 'properties')
  const members = Object.entries(objectAt(nested, 'properties')).flatMap(([name, property]) => {
    const own = ownMember(known, name)
    return child(pair, `properties[${name}]`, property, own)
  })
  return [
    ...alternatives(pair),
    ...(isObject(nested.items) ? child(pair, 'items', nested.items, declared.items) : []),
    ...members,
  ]
}

function child(
  { at, nestedAt }: Pair,
  step: string,
  nested: JsonObject[string],
  declared: JsonObject[string],
): FieldError[] {
  if (!isObject(nested)) return []
  const pair = { nested, nestedAt: `${nestedAt}.${step}`, at: `${at}.${step}` }
  return undeclared({ ...pair, declared: isObject(declared) ? declared : undefined })
}
