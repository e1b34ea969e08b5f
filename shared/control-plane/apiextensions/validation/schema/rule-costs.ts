import type { Field } from '../../../apimachinery/validation/field.ts'
import type { Schema } from '../../structural/schema.ts'

/** Highest estimated cost of an expression, for all objects that one request may evaluate it on. */
const OF_ONE_EXPRESSION = 10_000_000n
/** Highest cost of all expressions in one version's schema. */
const OF_ONE_SCHEMA = 100_000_000n
/** Number of expressions that are named when all together cost too much. */
const NAMED = 4
const HINT =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'

/** Adds up what the expressions of one version's schema may cost; as upstream's TotalCost. */
export class RuleCosts {
  readonly #dearest: { readonly at: string; readonly cost: bigint }[] = []
  #total = 0n

  add(at: string, cost: bigint): void {
    this.#total += cost
    if (cost >= OF_ONE_SCHEMA / 100n) this.#dearest.push({ at, cost })
  }

  /** Reports an error if all together cost too much. */
  validate(schema: Field): void {
    if (this.#total <= OF_ONE_SCHEMA) return
    const dearest = this.#dearest.toSorted((a, b) => Number(b.cost - a.cost)).slice(0, NAMED)
    const entire = 'cost limit for entire OpenAPIv3 schema'
    for (const { at } of dearest)
      schema.as(at).forbidden(`contributed to estimated rule cost total exceeding ${entire}`)
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    schema.forbidden(`${what} ${exceeds(this.#total, OF_ONE_SCHEMA)}`)
  }
}

/** Reports an error if an expression alone costs too much. Its field is `rule` or `messageExpression`. */
export function validateCost(expression: Field, cost: bigint): void {
  const what = expression.path.slice(expression.path.lastIndexOf('.') + 1)
  if (cost > OF_ONE_EXPRESSION)
    expression.forbidden(`estimated ${what} cost ${exceeds(cost, OF_ONE_EXPRESSION)}`)
}

function exceeds(cost: bigint, limit: bigint): string {
  return `exceeds budget by factor of ${factorText(Number(cost) / Number(limit))} ${HINT}`
}

function factorText(factor: number): string {
  if (factor > 100) return 'more than 100x'
  return factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
}

/** Returns how many values the schemas right below can have at most; undefined if nothing bounds them. */
export function boundBelow(
  { type, additional, limits }: Schema,
  bound: bigint | undefined,
): bigint | undefined {
  if (bound === undefined) return undefined
  if (type === 'array') return product(bound, limits.maxItems)
  return type === 'object' && additional !== undefined ? product(bound, limits.maxProperties) : bound
}

function product(bound: bigint, times: number | undefined): bigint | undefined {
  return times === undefined ? undefined : bound * BigInt(Math.max(0, Math.floor(times)))
}
