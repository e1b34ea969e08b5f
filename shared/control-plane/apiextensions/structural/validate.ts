import { type FieldError, invalidValue, notSupported, required } from '../../apimachinery/errors/field.ts'
import { type JsonValue, jsonText } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, ownMember, sameJson } from '../../apimachinery/json/values.ts'
import { itemsErrors, NO_PATH, numberErrors, propertiesErrors, stringErrors, typeError } from './keywords.ts'
import { MatchBudget } from './pattern.ts'
import type { Schema } from './schema.ts'

interface Node {
  readonly schema: Schema
  /** The value's path as upstream writes it: a dot comes before a member of a map at the root. */
  readonly path: string
  /** The stored value of this field; undefined where there is none, or none that can be correlated. */
  readonly old: JsonValue | undefined
}

interface Outcome {
  readonly errors: FieldError[]
  /** How well the schema fits the value. If several do not fit, the closest one's errors are shown. */
  readonly matches: number
}

/**
 * Validates a value by the OpenAPI keywords of its schema, in upstream's order. `at` is the value's path,
 * `''` for an object: fields are named by it, texts are not. If the stored value is given, unchanged parts
 * count as valid (KEP-4008).
 */
export function schemaErrors(
  value: JsonValue,
  schema: Schema,
  { at = '', old }: { at?: string; old?: JsonValue | undefined } = {},
): FieldError[] {
  const { errors } = new Validation().check(value, { schema, path: '', old })
  return errors.map((error) => ({ ...error, field: fieldAt(at, error.field) }))
}

function fieldAt(at: string, path: string): string {
  if (path === '' || path === NO_PATH) return at || NO_PATH
  const below = path.replace(/^\./, '')
  return at === '' ? below : `${at}.${below}`
}

class Validation {
  readonly #budget = new MatchBudget()

  check(value: JsonValue, node: Node): Outcome {
    if (node.old !== undefined && sameJson(value, node.old)) return { errors: [], matches: 1 }
    const { schema, path } = node
    if (value === null) {
      const errors = [...typeError(value, schema, path), ...enumErrors(value, schema, path)]
      return { errors, matches: 1 }
    }
    const logic = this.#logic(value, node)
    const items = this.#items(value, node)
    const members = this.#members(value, node)
    const errors = [
      ...typeError(value, schema, path),
      ...logic.errors,
      ...stringErrors(value, schema, path, this.#budget),
      ...numberErrors(value, schema, path),
      ...items.errors,
      ...itemsErrors(value, schema, path),
      ...enumErrors(value, schema, path),
      ...propertiesErrors(value, schema, path),
      ...members.errors,
      ...requiredErrors(value, schema, path),
    ]
    return { errors, matches: 1 + logic.matches + items.matches + members.matches }
  }

  /** Validates `anyOf`, `oneOf`, `allOf` and `not`. They count whatever was stored. */
  #logic(value: JsonValue, { schema, path }: Node): Outcome {
    const at = (alternative: Schema): Outcome =>
      this.check(value, { schema: alternative, path, old: undefined })
    const parts = [
      this.#anyOf(schema.anyOf.map(at), path),
      this.#oneOf(schema.oneOf.map(at), path),
      allOf(schema.allOf.map(at), path),
    ]
    const errors = parts.flatMap((part) => part.errors)
    if (schema.not && at(schema.not).errors.length === 0)
      errors.push(general(`${JSON.stringify(path)} must not validate the schema (not)`))
    return { errors, matches: parts.reduce((sum, { matches }) => sum + matches, 0) }
  }

  #anyOf(outcomes: readonly Outcome[], path: string): Outcome {
    if (outcomes.length === 0) return NOTHING
    const valid = outcomes.find(({ errors }) => errors.length === 0)
    if (valid) return valid
    const best = closest(outcomes)
    const why = general(`${JSON.stringify(path)} must validate at least one schema (anyOf)`)
    return { errors: [why, ...best.errors], matches: best.matches }
  }

  #oneOf(outcomes: readonly Outcome[], path: string): Outcome {
    if (outcomes.length === 0) return NOTHING
    const valid = outcomes.filter(({ errors }) => errors.length === 0)
    if (valid.length === 1) return valid[0] ?? NOTHING
    const why = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`
    const error = general(`${JSON.stringify(path)} must validate one and only one schema (oneOf). ${why}`)
    if (valid.length > 1) return { errors: [error], matches: 0 }
    const best = closest(outcomes)
    return { errors: [error, ...best.errors], matches: best.matches }
  }

  #items(value: JsonValue, { schema, path, old }: Node): Outcome {
    const { items } = schema
    if (!items || !Array.isArray(value)) return NOTHING
    const before = correlatedItems(schema, old)
    return sum(
      value.map((item, index) =>
        this.check(item, { schema: items, path: `${path}[${index}]`, old: before(item) }),
      ),
    )
  }

  /** Validates members: those of a map before declared ones. */
  #members(value: JsonValue, { schema, path, old }: Node): Outcome {
    if (!isObject(value)) return NOTHING
    const { properties, additional } = schema
    const check = (name: string, declared: Schema, at: string): Outcome => {
      const before = isObject(old) ? ownMember(old, name) : undefined
      return this.check(value[name] ?? null, { schema: declared, path: at, old: before })
    }
    const names = Object.keys(value).sort()
    return sum([
      ...names.flatMap((name) =>
        properties.has(name) || additional === undefined || additional === 'any'
          ? []
          : [check(name, additional, `${path}.${name}`)],
      ),
      ...names.flatMap((name) => {
        const declared = properties.get(name)
        return declared ? [check(name, declared, path === '' ? name : `${path}.${name}`)] : []
      }),
    ])
  }
}

const NOTHING: Outcome = { errors: [], matches: 0 }

function sum(outcomes: readonly Outcome[]): Outcome {
  return {
    errors: outcomes.flatMap(({ errors }) => errors),
    matches: outcomes.reduce((total, { matches }) => total + matches, 0),
  }
}

function allOf(outcomes: readonly Outcome[], path: string): Outcome {
  const failed = outcomes.filter(({ errors }) => errors.length > 0).length
  const all = sum(outcomes)
  if (failed === 0) return all
  const none = failed === outcomes.length ? '. None validated' : ''
  const why = general(`${JSON.stringify(path)} must validate all the schemas (allOf)${none}`)
  return { errors: [...all.errors, why], matches: all.matches }
}

function closest(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((best, outcome) => (outcome.matches > best.matches ? outcome : best))
}

function general(detail: string): FieldError {
  return invalidValue(NO_PATH, '', detail)
}

function enumErrors(value: JsonValue, { enumeration }: Schema, path: string): FieldError[] {
  if (!enumeration || enumeration.some((allowed) => sameJson(allowed, value))) return []
  const shown = enumeration.map((item) => (typeof item === 'string' ? item : jsonText(item)))
  return [notSupported(path, value, shown)]
}

function requiredErrors(value: JsonValue, schema: Schema, path: string): FieldError[] {
  if (!isObject(value)) return []
  return schema.required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => required(`${path}.${name}`))
}

/** Finds the stored item that an item is the same as: in lists of type map only. */
export function correlatedItems(
  { listType, listKeys }: Schema,
  old: JsonValue | undefined,
): (item: JsonValue) => JsonValue | undefined {
  if (listType !== 'map' || !Array.isArray(old)) return () => undefined
  const keyOf = (item: JsonValue): string =>
    jsonText(listKeys.map((key) => (isObject(item) ? (ownMember(item, key) ?? null) : null)))
  const byKey = new Map(old.map((item) => [keyOf(item), item]))
  return (item) => byKey.get(keyOf(item))
}
