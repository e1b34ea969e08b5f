import type { Json } from '../json/index.ts'
import type { Path } from '../jsonpath/index.ts'
import type { Work } from '../work.ts'

/** An expression that was read and checked. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: Json }
  | PathExpression
  /** The text `@now`. */
  | { readonly kind: 'now' }
  | ListExpression
  | { readonly kind: 'map'; readonly entries: readonly MapEntry[] }
  | { readonly kind: 'call'; readonly operator: string; readonly argument: Expression }

export interface PathExpression {
  readonly kind: 'path'
  /** Root of the path: the current object (`$`) or the element of the innermost list operator (`$$`). */
  readonly from: '$' | '$$'
  readonly path: Path
  readonly text: string
}

interface ListExpression {
  readonly kind: 'list'
  readonly items: readonly Expression[]
}

/** A member of a literal map: a key as it stands, or a path (`$.a.b`) at which the value is set. */
export interface MapEntry {
  readonly key: string | Path
  readonly value: Expression
}

/** Inputs of an expression besides its object. They are given from outside so that tests can fix them. */
export interface Environment {
  readonly now: () => Date
  /** Source of random numbers from 0 to below 1. */
  readonly random: () => number
}

/** Inputs of one evaluation of an expression. */
export interface Scope {
  readonly root: Json
  /** The current element, within list operators. */
  readonly local?: Json
  /** Work that list operators may still do, set only within them; all else is done once where it stands. */
  readonly work?: Work
  readonly environment: Environment
}

/** @throws EvaluationError */
export type Evaluate = (scope: Scope) => Json
