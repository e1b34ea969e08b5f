import { duplicate, type FieldError, forbiddenField, invalidValue, required } from '../../errors/index.ts'
import { isObject, type JsonObject, type JsonValue, sameJson } from '../../json.ts'
import { correlatedItems, NO_PATH, type Rule, type Schema } from '../../structural/index.ts'
import { CelError, CostError } from '../errors.ts'
import { CostBudget } from '../runtime/budget.ts'
import { type CelValue, fromJson, Optional } from '../values/index.ts'
import type { CompiledRule, RuleCompiler } from './compiler.ts'

/** Longest message that an expression may make, in bytes. */
const LONGEST_MESSAGE = 5 * 1024

interface Visit {
  readonly path: string
  /** The stored value of the same field; undefined where none can be told to be the same. */
  readonly old: JsonValue | undefined
}

/** Evaluates the `x-kubernetes-validations` of a schema and of everything below it (KEP-2876). */
export class RuleValidator {
  readonly #compiler: RuleCompiler
  readonly #compiled = new Map<Schema, readonly CompiledRule[]>()
  readonly #relevant = new Set<Schema>()

  /** Throws CelError for a rule that cannot be used: a CustomResourceDefinition with such a rule is never stored. */
  constructor(schema: Schema, compiler: RuleCompiler) {
    this.#compiler = compiler
    this.#compile(schema)
  }

  validate(object: JsonObject, schema: Schema, old: JsonValue | undefined): FieldError[] {
    if (!this.#relevant.has(schema)) return []
    const run = new Run(this.#compiled, this.#relevant)
    run.visit(object, schema, { path: '', old })
    return run.errors
  }

  /** True where the schema or one below it has rules. */
  #compile(schema: Schema): boolean {
    const rules = schema.rules.map((rule) => ({
      ...this.#compiler.compileRule(rule, schema),
      message: this.#compiler.compileMessage(rule, schema),
    }))
    this.#compiled.set(schema, rules)
    const { items, additional, properties } = schema
    const below = [...properties.values(), items, additional === 'any' ? undefined : additional]
    const found = below.map((child) => child !== undefined && this.#compile(child)).some(Boolean)
    if (rules.length > 0 || found) this.#relevant.add(schema)
    return this.#relevant.has(schema)
  }
}

class Run {
  readonly errors: FieldError[] = []
  readonly #compiled: ReadonlyMap<Schema, readonly CompiledRule[]>
  readonly #relevant: ReadonlySet<Schema>
  readonly #budget = new CostBudget()
  #spent = false

  constructor(compiled: ReadonlyMap<Schema, readonly CompiledRule[]>, relevant: ReadonlySet<Schema>) {
    this.#compiled = compiled
    this.#relevant = relevant
  }

  visit(value: JsonValue, schema: Schema, at: Visit): void {
    if (this.#spent || value === null || !this.#relevant.has(schema)) return
    const rules = this.#compiled.get(schema) ?? []
    if (rules.length > 0) this.#rules(value, schema, rules, at)
    if (Array.isArray(value)) this.#items(value, schema, at)
    else if (isObject(value)) this.#members(value, schema, at)
  }

  #items(list: readonly JsonValue[], schema: Schema, { path, old }: Visit): void {
    const { items } = schema
    if (!items) return
    const before = correlatedItems(schema, old)
    for (const [index, item] of list.entries())
      this.visit(item, items, { path: `${path}[${index}]`, old: before(item) })
  }

  #members(object: JsonObject, schema: Schema, { path, old }: Visit): void {
    for (const [name, item] of Object.entries(object)) {
      const declared = schema.properties.get(name)
      const child = declared ?? schema.additional
      if (child === undefined || child === 'any') continue
      const before = isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined
      const inner = declared ? joined(path, name) : `${path}[${name}]`
      this.visit(item ?? null, child, { path: inner, old: before })
    }
  }

  #rules(value: JsonValue, schema: Schema, rules: readonly CompiledRule[], { path, old }: Visit): void {
    const self = fromJson(value, schema)
    const oldSelf = old === undefined ? undefined : fromJson(old, schema)
    for (const compiled of rules) {
      const { rule, usesOldSelf } = compiled
      if (usesOldSelf && oldSelf === undefined && !rule.optionalOldSelf) continue
      // What has been stored stays right while it stays as it is (KEP-4008).
      if (!usesOldSelf && old !== undefined && sameJson(value, old)) continue
      const variables = { self, oldSelf: rule.optionalOldSelf ? optionalValue(oldSelf) : (oldSelf ?? null) }
      if (!this.#holds(compiled, variables, schema, path))
        this.errors.push(failure(rule, this.#messageOf(compiled, variables), path, value))
      if (this.#spent) return
    }
  }

  #holds({ rule, expression }: CompiledRule, variables: Variables, schema: Schema, path: string): boolean {
    try {
      return expression.evaluate(variables, this.#budget) === true
    } catch (error) {
      if (!(error instanceof CelError)) throw error
      this.#spent = error instanceof CostError
      const text = rule.message || rule.rule
      const why = this.#spent
        ? `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`
        : `${error.message} evaluating rule: ${text}`
      this.errors.push(invalidValue(path || NO_PATH, schema.type, why))
      return true
    }
  }

  /** Of its expression, if that makes a message that can be shown; else the one that stands in the rule. */
  #messageOf({ rule, message }: CompiledRule, variables: Variables): string {
    const made = message && this.#made(message, variables)
    return made ?? (rule.message || `failed rule: ${rule.rule}`)
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

function failure(rule: Rule, detail: string, path: string, value: JsonValue): FieldError {
  const field = rule.fieldPath === '' ? path || NO_PATH : `${path}${rule.fieldPath}`.replace(/^\./, '')
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
