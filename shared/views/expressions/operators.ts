import { listOperators } from './lists.ts'
import { logicOperators } from './logic.ts'
import { numberOperators } from './numbers.ts'
import type { Operator } from './operator.ts'
import { valueOperators } from './values.ts'

/** Every operator by its name. */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  Object.entries({ ...logicOperators, ...numberOperators, ...listOperators, ...valueOperators }),
)

/** Finds the operator whose name is nearest to one that does not exist, if any is near. */
export function similarTo(name: string, names: Iterable<string> = OPERATORS.keys()): string | undefined {
  const wanted = name.toLowerCase()
  return [...names].find((known) => isNear(wanted, known.toLowerCase()))
}

/** Reports whether two names differ by one letter only: left out, put in, changed or swapped. */
function isNear(a: string, b: string): boolean {
  if (a === b) return true
  if (Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  const isSwapped = left.length === 2 && left === [...right].reverse().join('')
  return isSwapped || Math.max(left.length, right.length) <= 1
}
