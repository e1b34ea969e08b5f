import { fieldPathOf } from '../../apiextensions/structural/field-path.ts'
import { NO_PATH } from '../../apiextensions/structural/keywords.ts'
import type { Rule, Schema } from '../../apiextensions/structural/schema.ts'
import { correlatedItems } from '../../apiextensions/structural/validate.ts'
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from '../../apimachinery/errors/field.ts'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, sameJson } from '../../apimachinery/json/values.ts'
import { CelError, CostError } from '../errors.ts'
import { CostBudget } from '../runtime/budget.ts'
import { fromJson } from '../values/json.ts'
import { type CelValue, Optional } from '../values/value.ts'
import type { CompiledRule, RuleCompiler } from './compiler.ts'

/** Longest message that an expression may make, in bytes. */
const LONGEST_MESSAGE = 5 * 1024

interface Visit {
  readonly path: string
  /** The stored value of the same field; undefined if none can be correlated. */
  readonly old: JsonValue | undefined
  /** Whether the nearest value around this one that has a stored one is as it was. */
  readonly isKept: boolean
}

/** Path of a value, and its value before. */
interface Validated {
  /** Default: it is an object as a whole. */
  readonly at?: string
  readonly old?: JsonValue | undefined
  /** Whether what is as it was stored is right whatever rules say (KEP-4008). Default: true. */
  readonly keepsStored?: boolean
}

/** A rule as it is used: one that does not compile fails for every value. */
type ReadyRule = CompiledRule | { readonly rule: Rule; readonly compileError: string }

/** Evaluates the `x-kubernetes-validations` of a schema and of everything below it (KEP-2876). */
export class RuleValidator {
  readonly #compiler: RuleCompiler
  readonly #compiled = new Map<Schema, readonly ReadyRule[]>()
  readonly #relevant = new Set<Schema>()

  constructor(schema: Schema, compiler: RuleCompiler) {
    this.#compiler = compiler
    this.#compile(schema)
  }

  validate(
    value: JsonValue,
    schema: Schema,
    { at = '', old, keepsStored = true }: Validated = {},
  ): FieldError[] {
    if (!this.#relevant.has(schema)) return []
    const run = new Run(this.#compiled, this.#relevant, keepsStored)
    run.visit(value, schema, { path: at, old, isKept: false })
    return run.errors
  }

  /** Compiles rules. Returns true if the schema or one below it has any. */
  #compile(schema: Schema): boolean {
    this.#compiled.set(
      schema,
      schema.rules.map((rule) => this.#ready(rule, schema)),
    )
    const { items, additional, properties } = schema
    const below = [...properties.values(), items, additional === 'any' ? undefined : additional]
    const found = below.map((child) => child !== undefined && this.#compile(child)).some(Boolean)
    if (schema.rules.length > 0 || found) this.#relevant.add(schema)
    return this.#relevant.has(schema)
  }

  #ready(rule: Rule, schema: Schema): ReadyRule {
    try {
      return { ...this.#compiler.compileRule(rule, schema), message: this.#readyMessage(rule, schema) }
    } catch (error) {
      if (error instanceof CelError) return { rule, compileError: error.message }
      throw error
    }
  }

  /** Compiles a message; undefined also if that fails: then the rule's own message counts. */
  #readyMessage(rule: Rule, schema: Schema): CompiledRule['message'] {
    try {
      return this.#compiler.compileMessage(rule, schema)
    } catch (error) {
      if (error instanceof CelError) return undefined
      throw error
    }
  }
}

class Run {
  readonly errors: FieldError[] = []
  readonly #compiled: ReadonlyMap<Schema, readonly ReadyRule[]>
  readonly #relevant: ReadonlySet<Schema>
  readonly #budget = new CostBudget()
  readonly #keepsStored: boolean
  #spent = false

  constructor(
    compiled: ReadonlyMap<Schema, readonly ReadyRule[]>,
    relevant: ReadonlySet<Schema>,
    keepsStored: boolean,
  ) {
    this.#keepsStored = keepsStored
    this.#compiled = compiled
    this.#relevant = relevant
  }

  visit(value: JsonValue, schema: Schema, at: Visit): void {
    if (this.#spent || value === null || !this.#relevant.has(schema)) return
    const here = { ...at, isKept: at.old === undefined ? at.isKept : sameJson(value, at.old) }
    const rules = this.#compiled.get(schema) ?? []
    if (rules.length > 0) this.#rules(value, schema, rules, here)
    if (Array.isArray(value)) this.#items(value, schema, here)
    else if (isObject(value)) this.#members(value, schema, here)
  }

  #items(list: readonly JsonValue[], schema: Schema, { path, old, isKept }: Visit): void {
    const { items } = schema
    if (!items) return
    const before = correlatedItems(schema, old)
    for (const [index, item] of list.entries())
      this.visit(item, items, { path: `${path}[${index}]`, old: before(item), isKept })
  }

  #members(object: JsonObject, schema: Schema, { path, old, isKept }: Visit): void {
    for (const [name, item] of Object.entries(object)) {
      const declared = schema.properties.get(name)
      const child = declared ?? schema.additional
      if (child === undefined || child === 'any') continue
      const before = isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined
      const inner = declared ? joined(path, name) : `${path}[${name}]`
      this.visit(item ?? null, child, { path: inner, old: before, isKept })
    }
  }

  #rules(value: JsonValue, schema: Schema, rules: readonly ReadyRule[], { path, old, isKept }: Visit): void {
    const self = fromJson(value, schema)
    const oldSelf = old === undefined ? undefined : fromJson(old, schema)
    for (const ready of rules) {
      if (this.#spent) return
      const { rule } = ready
      const variables = { self, oldSelf: rule.optionalOldSelf ? optionalValue(oldSelf) : (oldSelf ?? null) }
      if ('compileError' in ready) this.#fail(`rule compile error: ${ready.compileError}`, schema, path)
      else if (isAboutNothing(ready, oldSelf) || this.#holds(ready, variables, schema, path)) continue
      else if (ready.usesOldSelf || !isKept || !this.#keepsStored)
        this.errors.push(failure(rule, this.#messageOf(ready, variables), { path, value, schema }))
    }
  }

  #holds({ rule, expression }: CompiledRule, variables: Variables, schema: Schema, path: string): boolean {
    try {
      return expression.evaluate(variables, this.#budget) === true
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      this.#spent = error instanceof CostError
      this.#fail(evaluationFailure(error.message, rule.message.trim() || rule.rule.trim()), schema, path)
      return true
    }
  }

  #fail(why: string, schema: Schema, path: string): void {
    this.errors.push(invalidValue(path || NO_PATH, schema.type, why))
  }

  /** Returns the message of the rule's expression, if it can be shown, or else the one in the rule. */
  #messageOf({ rule, message }: CompiledRule, variables: Variables): string {
    const made = message && this.#made(message, variables)
    return made ?? (rule.message.trim() || `failed rule: ${rule.rule.trim()}`)
  }

  #made(message: NonNullable<CompiledRule['message']>, variables: Variables): string | undefined {
    try {
      const text = message.evaluate(variables, this.#budget)
      const trimmed = typeof text === 'string' ? text.trim() : ''
      const fits = trimmed !== '' && !trimmed.includes('\n') && Buffer.byteLength(trimmed) <= LONGEST_MESSAGE
      return fits ? trimmed : undefined
    } catch (error) {
      if (error instanceof CelError) return undefined
      throw error
    }
  }
}

type Variables = Readonly<Record<string, CelValue>>

const optionalValue = (value: CelValue | undefined): CelValue =>
  value === undefined ? Optional.none : new Optional(value)

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** Reports whether a rule is about a change, and there was nothing before. */
function isAboutNothing({ rule, usesOldSelf }: CompiledRule, oldSelf: CelValue | undefined): boolean {
  return usesOldSelf && oldSelf === undefined && !rule.optionalOldSelf
}

function evaluationFailure(why: string, rule: string): string {
  if (why.startsWith('no such overload')) {
    return `'${why}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
  }
  return why.startsWith('operation cancelled')
    ? `'${why}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`
    : `${why} evaluating rule: ${rule}`
}

interface Failed {
  readonly path: string
  readonly value: JsonValue
  readonly schema: Schema
}

function failure(rule: Rule, detail: string, { path, value, schema }: Failed): FieldError {
  const below = fieldPathOf(schema, rule.fieldPath) ?? ''
  const field = [path, below].filter((part) => part !== '').join('.') || NO_PATH
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbiddenField(field, detail)
    case 'FieldValueRequired':
      return required(field, detail)
    case 'FieldValueDuplicate':
      return duplicate(field, value)
    default:
      return typeof value === 'object'
        ? { reason: 'FieldValueInvalid', field, message: `Invalid value: ${detail}` }
        : invalidValue(field, value, detail)
  }
}
