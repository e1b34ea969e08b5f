import { type FieldError, invalidValue, notSupported, required } from '../errors/index.ts'
import { isObject, type JsonObject, type JsonValue, sameJson } from '../json.ts'
import { keywordErrors, NO_PATH, typeError } from './keywords.ts'
import { MatchBudget } from './pattern.ts'
import type { Schema } from './schema.ts'

interface Node {
  readonly schema: Schema
  readonly path: string
  /** The stored value of this field; undefined where there is none, or none that can be told to be the same field. */
  readonly old: JsonValue | undefined
}

interface Outcome {
  readonly errors: FieldError[]
  /** How much of the value the schema fits: of several that do not, the errors of the closest are shown. */
  readonly matches: number
}

/**
 * What of a value is wrong by the OpenAPI keywords of its schema. `path` is that of the value, `''` for an object. With the stored value
 * given, what stays as it is counts as right (KEP-4008).
 */
export function schemaErrors(
  value: JsonValue,
  schema: Schema,
  { path = '', old }: { path?: string; old?: JsonValue | undefined } = {},
): FieldError[] {
  return new Validation().check(value, { schema, path, old }).errors
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
    const children = this.#children(value, node)
    const errors = [
      ...typeError(value, schema, path),
      ...logic.errors,
      ...keywordErrors(value, schema, path, this.#budget),
      ...enumErrors(value, schema, path),
      ...children.errors,
      ...requiredErrors(value, schema, path),
    ]
    return { errors, matches: 1 + logic.matches + children.matches }
  }

  /** `anyOf`, `oneOf`, `allOf` and `not`. What they forbid is forbidden whatever was stored. */
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

  #children(value: JsonValue, node: Node): Outcome {
    if (Array.isArray(value)) return this.#items(value, node)
    if (isObject(value)) return this.#members(value, node)
    return NOTHING
  }

  #items(value: readonly JsonValue[], { schema, path, old }: Node): Outcome {
    const { items } = schema
    if (!items) return NOTHING
    const before = correlatedItems(schema, old)
    return sum(
      value.map((item, index) =>
        this.check(item, { schema: items, path: `${path}[${index}]`, old: before(item) }),
      ),
    )
  }

  #members(value: JsonObject, { schema, path, old }: Node): Outcome {
    const names = Object.keys(value).sort()
    return sum(
      names.flatMap((name) => {
        const declared = schema.properties.get(name) ?? schema.additional
        if (declared === undefined || declared === 'any') return []
        const before = isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined
        const at = path === '' ? name : `${path}.${name}`
        return [this.check(value[name] ?? null, { schema: declared, path: at, old: before })]
      }),
    )
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
  const shown = enumeration.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
  return [notSupported(path || NO_PATH, value, shown)]
}

function requiredErrors(value: JsonValue, schema: Schema, path: string): FieldError[] {
  if (!isObject(value)) return []
  return schema.required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => required(path === '' ? name : `${path}.${name}`))
}

/** Finds the stored item that an item is the same as: in lists of type map only. */
export function correlatedItems(
  { listType, listKeys }: Schema,
  old: JsonValue | undefined,
): (item: JsonValue) => JsonValue | undefined {
  if (listType !== 'map' || !Array.isArray(old)) return () => undefined
  const keyOf = (item: JsonValue): string =>
    JSON.stringify(listKeys.map((key) => (isObject(item) ? (item[key] ?? null) : null)))
  const byKey = new Map(old.map((item) => [keyOf(item), item]))
  return (item) => byKey.get(keyOf(item))
}
