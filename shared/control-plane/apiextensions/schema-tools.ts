import type { FieldError } from '../apimachinery/errors/field.ts'
import type { JsonObject } from '../apimachinery/json/exact-numbers.ts'
import { objectAt } from '../apimachinery/json/values.ts'
import type { RuleCompiler, RuleValidator } from '../cel/index.ts'
import type { LazyCel } from '../cel/lazy-cel.ts'
import { listTypeErrors } from './structural/list-types.ts'
import { readSchema, type Schema } from './structural/schema.ts'
import { schemaErrors } from './structural/validate.ts'

/** Tools to read and use the schemas of custom resources. A control plane has one. */
export interface SchemaTools {
  /** Loaded before the first definition is written, and before those that are stored are served. */
  readonly cel: LazyCel
  /** Reads rules; throws Error while CEL is not loaded. */
  readonly rules: () => RuleCompiler
}

const TEXT: JsonObject = { type: 'string' }

/** Reads the schema of a version's whole objects, with what every object has. */
export function readRootSchema(source: JsonObject): Schema {
  const properties = objectAt(source, 'properties')
  const metadata = objectAt(properties, 'metadata')
  return readSchema({
    ...source,
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    properties: {
      ...properties,
      apiVersion: { ...TEXT, ...objectAt(properties, 'apiVersion') },
      kind: { ...TEXT, ...objectAt(properties, 'kind') },
      metadata: {
        type: 'object',
        properties: { name: TEXT, generateName: TEXT, ...objectAt(metadata, 'properties') },
      },
    },
  })
}

const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])
const UNCHECKED: FieldError = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
}

/** Validates objects of a schema: keywords, list types, then rules if the object is sound enough for them. */
export class ObjectValidator {
  readonly #schema: Schema
  /** Undefined where the schema has no rules: such a one needs no CEL. */
  readonly #rules: RuleValidator | undefined

  constructor(schema: Schema, { cel, rules }: SchemaTools) {
    this.#schema = schema
    this.#rules = hasRules(schema) ? new cel.cel.RuleValidator(schema, rules()) : undefined
  }

  /**
   * @param shape what else is wrong with the object: rules are not evaluated where the object is too
   *   malformed for them
   */
  validate(object: JsonObject, old: JsonObject | undefined, shape: readonly FieldError[]): FieldError[] {
    return this.#withRules(object, old, [...schemaErrors(object, this.#schema, { old }), ...shape])
  }

  /** Validates a write to the status: keywords apply to it only, and texts name it as if it were all. */
  validateStatus(object: JsonObject, old: JsonObject, shape: readonly FieldError[]): FieldError[] {
    const schema = this.#schema.properties.get('status')
    const { status } = object
    const errors =
      schema && status !== undefined ? schemaErrors(status, schema, { at: 'status', old: old.status }) : []
    return this.#withRules(object, old, [...errors, ...shape])
  }

  #withRules(object: JsonObject, old: JsonObject | undefined, found: readonly FieldError[]): FieldError[] {
    const schema = this.#schema
    const oldLists = old ? listTypeErrors(old, schema) : []
    const errors = [...found, ...(oldLists.length > 0 ? [] : listTypeErrors(object, schema))]
    if (!this.#rules) return errors
    if (errors.some(({ reason }) => BLOCKING.has(reason))) return [...errors, UNCHECKED]
    return [...errors, ...this.#rules.validate(object, schema, { old })]
  }
}

/** Reports whether the schema or one below it has rules. */
export function hasRules({ rules, items, additional, properties }: Schema): boolean {
  const below = [...properties.values(), items, additional === 'any' ? undefined : additional]
  return rules.length > 0 || below.some((child) => child !== undefined && hasRules(child))
}
