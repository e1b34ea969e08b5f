import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import {
  isObject,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
  stringsAt,
} from '../../apimachinery/json/values.ts'
import { type Pattern, patternOf } from './pattern.ts'

/** One entry of `x-kubernetes-validations`, its texts as they were written; `''` where there is none. */
export interface Rule {
  readonly rule: string
  readonly message: string
  readonly messageExpression: string
  readonly reason: string | undefined
  readonly fieldPath: string
  readonly optionalOldSelf: boolean | undefined
}

/** A structural OpenAPI v3 schema of a CustomResourceDefinition (KEP-1979), read once for every object. */
export interface Schema {
  /** `''` where the schema has none. */
  readonly type: string
  readonly nullable: boolean
  readonly properties: ReadonlyMap<string, Schema>
  /** Schema of members that `properties` lacks; `any` allows everything, undefined prunes them. */
  readonly additional: Schema | 'any' | undefined
  readonly items: Schema | undefined
  readonly defaultValue: JsonValue | undefined
  readonly preservesUnknown: boolean
  readonly embedded: boolean
  readonly intOrString: boolean
  readonly listType: 'atomic' | 'map' | 'set'
  readonly listKeys: readonly string[]
  readonly mapType: 'atomic' | 'granular'
  readonly rules: readonly Rule[]
  readonly allOf: readonly Schema[]
  readonly anyOf: readonly Schema[]
  readonly oneOf: readonly Schema[]
  readonly not: Schema | undefined
  readonly required: readonly string[]
  readonly enumeration: readonly JsonValue[] | undefined
  readonly pattern: Pattern | undefined
  /** The keywords that are plain numbers and flags. */
  readonly limits: Limits
}

interface Limits {
  readonly format: string
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  readonly exclusiveMinimum: boolean
  readonly exclusiveMaximum: boolean
  readonly multipleOf: number | undefined
  readonly minLength: number | undefined
  readonly maxLength: number | undefined
  readonly minItems: number | undefined
  readonly maxItems: number | undefined
  readonly minProperties: number | undefined
  readonly maxProperties: number | undefined
}

/** Reads a schema of a CustomResourceDefinition. Throws PatternError for a pattern that is none. */
export function readSchema(source: JsonObject): Schema {
  const { items, additionalProperties, default: defaultValue, not } = source
  const pattern = stringAt(source, 'pattern')
  return {
    type: stringAt(source, 'type'),
    nullable: source.nullable === true,
    properties: new Map(
      Object.entries(objectAt(source, 'properties')).map(([name, schema]) => [
        name,
        readSchema(asObject(schema)),
      ]),
    ),
    additional: additionalOf(additionalProperties),
    items: isObject(items) ? readSchema(items) : undefined,
    defaultValue: defaultValue ?? undefined,
    preservesUnknown: source['x-kubernetes-preserve-unknown-fields'] === true,
    embedded: source['x-kubernetes-embedded-resource'] === true,
    intOrString: source['x-kubernetes-int-or-string'] === true,
    listType: oneOfNames(stringAt(source, 'x-kubernetes-list-type'), ['map', 'set'], 'atomic'),
    listKeys: stringsAt(source, 'x-kubernetes-list-map-keys'),
    mapType: oneOfNames(stringAt(source, 'x-kubernetes-map-type'), ['atomic'], 'granular'),
    rules: objectsAt(source, 'x-kubernetes-validations').map(readRule),
    allOf: objectsAt(source, 'allOf').map(readSchema),
    anyOf: objectsAt(source, 'anyOf').map(readSchema),
    oneOf: objectsAt(source, 'oneOf').map(readSchema),
    not: isObject(not) ? readSchema(not) : undefined,
    required: stringsAt(source, 'required'),
    enumeration: Array.isArray(source.enum) ? source.enum : undefined,
    pattern: pattern === '' ? undefined : patternOf(pattern),
    limits: readLimits(source),
  }
}

function additionalOf(value: JsonValue | undefined): Schema['additional'] {
  if (isObject(value)) return readSchema(value)
  return value === true ? 'any' : undefined
}

function readRule(source: JsonObject): Rule {
  return {
    rule: stringAt(source, 'rule'),
    message: stringAt(source, 'message'),
    messageExpression: stringAt(source, 'messageExpression'),
    reason: typeof source.reason === 'string' ? source.reason : undefined,
    fieldPath: stringAt(source, 'fieldPath'),
    optionalOldSelf: typeof source.optionalOldSelf === 'boolean' ? source.optionalOldSelf : undefined,
  }
}

function readLimits(source: JsonObject): Limits {
  const number = (name: string): number | undefined => numberAt(source, name)
  return {
    format: stringAt(source, 'format'),
    minimum: number('minimum'),
    maximum: number('maximum'),
    exclusiveMinimum: source.exclusiveMinimum === true,
    exclusiveMaximum: source.exclusiveMaximum === true,
    multipleOf: number('multipleOf'),
    minLength: number('minLength'),
    maxLength: number('maxLength'),
    minItems: number('minItems'),
    maxItems: number('maxItems'),
    minProperties: number('minProperties'),
    maxProperties: number('maxProperties'),
  }
}

function oneOfNames<T extends string>(value: string, names: readonly T[], otherwise: T): T {
  return names.find((name) => name === value) ?? otherwise
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns the schema of a member of an object; undefined if none is declared. */
export function memberSchema(schema: Schema | undefined, name: string): Schema | undefined {
  const own = schema?.properties.get(name)
  if (own) return own
  return schema?.additional === 'any' ? undefined : schema?.additional
}
