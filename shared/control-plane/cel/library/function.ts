import { readSignature, type Signature } from '../types/signature.ts'
import { type CelValue, sizeOf } from '../values/value.ts'
import type { VisitBudget } from '../values/visit-budget.ts'

/** One way of calling a function. */
export interface Overload extends Signature {
  readonly call: Implementation
  /** Cost of a call; default 1, as the real server counts it. */
  readonly cost?: ActualCost
}

/** Throws CelError where it fails on the values. */
export type Implementation = (args: readonly CelValue[], context: CallContext) => CelValue
export type ActualCost = (args: readonly CelValue[], result: CelValue, context: CallContext) => number

/** Services of an evaluation for functions. */
export interface CallContext {
  /** Number of inner values that the evaluation may read. */
  readonly visits: VisitBudget
  /** Reports whether a text matches a pattern. Throws CelError for a malformed pattern. */
  matches(text: string, pattern: string): boolean
  /** Returns the first matches, at most `limit`. Throws CelError for a malformed pattern. */
  find(text: string, pattern: string, limit: number): string[]
}

/** Functions by name. */
export type Library = Readonly<Record<string, readonly Overload[]>>

/** Makes an overload from its signature, such as `string.(int) -> string`. */
export function overload(signature: string, call: Implementation, cost?: ActualCost): Overload {
  return { ...readSignature(signature), call, ...(cost ? { cost } : {}) }
}

/** Cost of reading one character. */
const PER_CHARACTER = 0.1
/** Cost of one character of a regular expression. */
const PER_PATTERN_CHARACTER = 0.25

/** Computes the cost of going once, or `times` often, through the first argument. */
export const traversal =
  (times = 1): ActualCost =>
  ([first = null]) =>
    Math.ceil(sizeOf(first) * times * PER_CHARACTER)

export const resultTraversal: ActualCost = (_, result) => Math.ceil(sizeOf(result) * 2 * PER_CHARACTER)

export const bothTraversals: ActualCost = ([a = null, b = null]) =>
  Math.ceil((sizeOf(a) + sizeOf(b)) * PER_CHARACTER)

export const shorterTraversal: ActualCost = ([a = null, b = null]) =>
  Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * PER_CHARACTER)

export const productOfTraversals: ActualCost = ([a = null, b = null]) =>
  Math.ceil(sizeOf(a) * PER_CHARACTER) * Math.ceil(sizeOf(b) * PER_CHARACTER)

export const patternCost: ActualCost = ([text = null, pattern = null]) =>
  matchCost(sizeOf(text), sizeOf(pattern))

export function matchCost(text: number, pattern: number): number {
  return Math.ceil((1 + text) * PER_CHARACTER) * Math.ceil(pattern * PER_PATTERN_CHARACTER)
}
