import { compareText, equal, isList, isObject, type Json, type JsonList, member } from '../json/index.ts'
import { Work } from '../work.ts'
import type { Comparison, Filter, Operand, Path, Segment } from './path.ts'

/** Maximum number of values that one path may visit: some 100 ms, and far more than an object has. */
const MAX_VISITS = 1_000_000

/** State that one reading of a path shares: the root, and the work that it may still do. */
interface Reading {
  readonly root: Json
  readonly work: Work
}

/** Begins a reading of a path by itself. */
export const readingOf = (root: Json, work = new Work(MAX_VISITS, 'a JSONPath')): Reading => ({ root, work })

/**
 * Returns the first value at the path, or undefined if there is none. Lists are followed in order, objects by
 * the order of their members' names.
 * @param work the budget of which it is a part; default: a million values
 * @throws EvaluationError if it exceeds that
 */
export function readPath(path: Path, root: Json, work?: Work): Json | undefined {
  let value: Json | undefined = root
  for (let index = 0; index < path.length && value !== undefined; index++) {
    const segment = path[index]
    if (segment?.kind === 'child') value = isObject(value) ? member(value, segment.name) : undefined
    else if (segment?.kind === 'index') value = isList(value) ? value.at(segment.index) : undefined
    else return firstOf(path.slice(index), value, readingOf(root, work))
  }
  return value
}

/** Returns the first value at the path below this value, within a reading that has begun. */
function firstOf(path: Path, from: Json, reading: Reading): Json | undefined {
  let found: Json | undefined
  visit(path, from, reading, (value) => {
    found = value
    return true
  })
  return found
}

/** Counts the values that the path finds. */
function countOf(path: Path, from: Json, reading: Reading): number {
  let count = 0
  visit(path, from, reading, () => {
    count++
    return false
  })
  return count
}

/** Calls `found` with every value at the path until it says that this is enough. */
function visit(path: Path, from: Json, reading: Reading, found: (value: Json) => boolean): boolean {
  reading.work.spend()
  const [segment] = path
  if (segment === undefined) return found(from)
  const rest = path.slice(1)
  if (segment.kind === 'descent') return visitBelow(rest, from, reading, found)
  return selected(segment, from, reading).some((value) => visit(rest, value, reading, found))
}

/** Returns everything that a segment selects of a value. */
function selected(segment: Segment, value: Json, reading: Reading): JsonList {
  switch (segment.kind) {
    case 'child':
      return present(isObject(value) ? member(value, segment.name) : undefined)
    case 'index':
      return present(isList(value) ? value.at(segment.index) : undefined)
    case 'wildcard':
      return childrenOf(value, reading)
    case 'slice':
      return isList(value)
        ? sliceIndexes(segment, value.length).flatMap((index) => present(value[index]))
        : []
    case 'union':
      return segment.members.flatMap((name) =>
        selected(
          typeof name === 'string' ? { kind: 'child', name } : { kind: 'index', index: name },
          value,
          reading,
        ),
      )
    case 'filter':
      return childrenOf(value, reading).filter((child) => passes(segment.test, child, reading))
    case 'descent':
      return [value, ...childrenOf(value, reading)]
  }
}

function visitBelow(rest: Path, from: Json, reading: Reading, found: (value: Json) => boolean): boolean {
  if (visit(rest, from, reading, found)) return true
  return childrenOf(from, reading).some((child) => visitBelow(rest, child, reading, found))
}

const present = (value: Json | undefined): JsonList => (value === undefined ? [] : [value])

function childrenOf(value: Json, { work }: Reading): JsonList {
  if (isList(value)) {
    work.spendOn(value.length)
    return value
  }
  if (!isObject(value)) return []
  const entries = Object.entries(value)
  work.spend(entries.length)
  return entries.sort(([a], [b]) => compareText(a, b)).map(([, child]) => child)
}

/** Lists the indexes of `[start:end:step]` in a list of this length, as in Python. */
export function sliceIndexes(
  { start, end, step }: Extract<Segment, { kind: 'slice' }>,
  length: number,
): number[] {
  const clamp = (index: number, low: number, high: number): number =>
    Math.min(Math.max(index < 0 ? index + length : index, low), high)
  const indexes: number[] = []
  if (step > 0) {
    const last = clamp(end ?? length, 0, length)
    for (let index = clamp(start ?? 0, 0, length); index < last; index += step) indexes.push(index)
  } else {
    const last = end === undefined ? -1 : clamp(end, -1, length - 1)
    for (let index = clamp(start ?? length - 1, -1, length - 1); index > last; index += step)
      indexes.push(index)
  }
  return indexes
}

/** Reports whether an element passes a filter. Values that cannot be compared do not pass. */
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

/** Evaluates an operand without a comparison. A path holds if it finds a value, a literal if it is true. */
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

/** Returns the length of a value. A text has as many characters as Unicode counts. */
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
  const sync = (): void => reading.work.spendOn(1)
  switch (operator) {
    case '==':
      return equal(left, right, sync)
    case '!=':
      return !equal(left, right, sync)
    case 'in':
      return left !== undefined && isList(right) && right.some((item) => equal(item, left, sync))
    case 'has':
    case 'exists':
      return (left !== undefined) === (right === true)
    case 'empty':
      return (lengthOf(left, reading) === 0) === (right === true)
    default:
      return isOrdered(operator, order(left, right))
  }
}

/** Compares two values: returns a number below, at or above 0, or undefined if they cannot be ordered. */
function order(left: Json | undefined, right: Json | undefined): number | undefined {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return typeof left === 'string' && typeof right === 'string' ? compareText(left, right) : undefined
}

function isOrdered(operator: '<' | '<=' | '>' | '>=', difference: number | undefined): boolean {
  if (difference === undefined) return false
  if (difference === 0) return operator === '<=' || operator === '>='
  return difference < 0 === operator.startsWith('<')
}
