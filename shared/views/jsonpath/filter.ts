import { compareText, equal, isList, isObject, type Json } from '../json/index.ts'
import type { Comparison, Filter, Operand } from './path.ts'
import { countOf, firstOf, type Reading } from './read.ts'

/** Whether an element passes a filter. What cannot be compared does not pass. */
export function passes(filter: Filter, element: Json, reading: Reading): boolean {
  switch (filter.kind) {
    case 'or':
      return passes(filter.left, element, reading) || passes(filter.right, element, reading)
    case 'and':
      return passes(filter.left, element, reading) && passes(filter.right, element, reading)
    case 'not':
      return !passes(filter.of, element, reading)
    case 'test':
      return holds(filter.operand, operandValue(filter.operand, element, reading))
    case 'compare':
      return compares(
        filter.operator,
        operandValue(filter.left, element, reading),
        operandValue(filter.right, element, reading),
        reading,
      )
  }
}

/** A path alone asks whether there is something, whatever it is; a literal is itself. */
const holds = (operand: Operand, value: Json | undefined): boolean =>
  operand.kind === 'path' ? value !== undefined : value === true

function operandValue(operand: Operand, element: Json, reading: Reading): Json | undefined {
  switch (operand.kind) {
    case 'literal':
      return operand.value
    case 'path':
      return firstOf(operand.path, operand.from === '@' ? element : reading.root, reading)
    case 'length':
      return lengthOf(operandValue(operand.of, element, reading), reading)
    case 'count':
      return operand.of.kind === 'path'
        ? countOf(operand.of.path, operand.of.from === '@' ? element : reading.root, reading)
        : undefined
  }
}

/** Texts have as many characters as Unicode counts. */
function lengthOf(value: Json | undefined, { work }: Reading): number | undefined {
  if (typeof value === 'string') {
    work.spendOn(value.length)
    return [...value].length
  }
  if (isList(value)) return value.length
  if (!isObject(value)) return undefined
  const { length } = Object.keys(value)
  work.spendOn(length)
  return length
}

function compares(
  operator: Comparison,
  left: Json | undefined,
  right: Json | undefined,
  reading: Reading,
): boolean {
  const look = (): void => reading.work.spendOn(1)
  switch (operator) {
    case '==':
      return equal(left, right, look)
    case '!=':
      return !equal(left, right, look)
    case 'in':
      return left !== undefined && isList(right) && right.some((item) => equal(item, left, look))
    case 'has':
    case 'exists':
      return (left !== undefined) === (right === true)
    case 'empty':
      return (lengthOf(left, reading) === 0) === (right === true)
    default:
      return isOrdered(operator, order(left, right))
  }
}

/** Below, at or above 0; undefined where the two cannot be ordered. */
function order(left: Json | undefined, right: Json | undefined): number | undefined {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return typeof left === 'string' && typeof right === 'string' ? compareText(left, right) : undefined
}

function isOrdered(operator: '<' | '<=' | '>' | '>=', difference: number | undefined): boolean {
  if (difference === undefined) return false
  if (difference === 0) return operator === '<=' || operator === '>='
  return difference < 0 === operator.startsWith('<')
}
