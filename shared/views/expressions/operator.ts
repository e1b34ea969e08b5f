import type { Evaluate, Expression } from './expression.ts'

/** One operator, such as `@concat`. */
export interface Operator {
  /** Returns what is wrong with the argument as it is written, such as a wrong number of elements. */
  readonly check?: (argument: Expression) => string | undefined
  /** Whether `$$` has a meaning within the argument. */
  readonly bindsElement?: true
  readonly compile: (argument: Expression, compile: (expression: Expression) => Evaluate) => Evaluate
}

export type Operators = Readonly<Record<string, Operator>>

/** Makes a check for a literal list of a given length; other arguments are checked when evaluated. */
export const takes =
  (count: number) =>
  (argument: Expression): string | undefined => {
    const found = argument.kind === 'list' ? argument.items.length : undefined
    return found === undefined || found === count ? undefined : `expected ${count} arguments, found ${found}`
  }

/** Makes the same check for operators that evaluate arguments one by one: these must be a list. */
export const takesList =
  (least: number, most: number) =>
  (argument: Expression): string | undefined => {
    const counts = least === most ? `${least}` : `${least} or ${most}`
    if (argument.kind !== 'list') return `expected a list of ${counts} arguments`
    const found = argument.items.length
    return found < least || found > most ? `expected ${counts} arguments, found ${found}` : undefined
  }

/** Returns the elements of an argument that is a literal list, or else the argument itself. */
export const items = (argument: Expression): readonly Expression[] =>
  argument.kind === 'list' ? argument.items : [argument]
