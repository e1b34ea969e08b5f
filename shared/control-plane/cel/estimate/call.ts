import type { Overload } from '../library/index.ts'
import type { Node } from '../syntax/nodes.ts'
import type { Type } from '../types/type.ts'
import { type DeclaredSize, sizeAt } from './declared-size.ts'
import { type Range, UNKNOWN } from './range.ts'

/** A part of an expression whose cost has been estimated. */
export interface Part {
  /** Undefined for the elements of a list that is not written out. */
  readonly node: Node | undefined
  /** Path from a variable to the place of the value; empty if it comes from no variable. */
  readonly path: readonly string[]
  readonly type: Type
  readonly size: Range | undefined
}

/** A call of a function by one of its overloads. */
export interface Call {
  readonly overload: Overload
  readonly target: Part | undefined
  readonly args: readonly Part[]
  readonly declared: DeclaredSize
}

/** Cost of a call beside that of its arguments, and the size of its result if that is known. */
export interface CallEstimate {
  readonly cost: Range
  readonly size?: Range
}

/** Undefined where the function costs as others do. */
export type Estimate = (call: Call) => CallEstimate | undefined

/** Cost of reading one character, or one character of a regular expression. */
export const PER_CHARACTER = 0.1
export const PER_PATTERN_CHARACTER = 0.25

export const sizeOf = ({ size }: Part): Range => size ?? UNKNOWN

/** Returns the size that the schema declares for a path. */
export function declaredRange(declared: DeclaredSize, path: readonly string[]): Range | undefined {
  const most = sizeAt(declared, path)
  return most === undefined ? undefined : { least: 0n, most }
}

/** Returns the value of an integer literal; undefined for anything else. */
export function literalInt({ node }: Part): bigint | undefined {
  return node?.kind === 'constant' && typeof node.value === 'bigint' ? node.value : undefined
}
