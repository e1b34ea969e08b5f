import { CelError } from '../errors.ts'
import { compare, isEqual } from '../values/equality.ts'
import { durationOf } from '../values/time.ts'
import { CelMap, type CelValue, Duration, isList, sizeOf, Uint } from '../values/value.ts'
import type { VisitBudget } from '../values/visit-budget.ts'
import { type ActualCost, type CallContext, type Library, type Overload, overload } from './function.ts'

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']
const SUMMABLE = ['int', 'uint', 'double', 'duration']
/** Most elements of a list that a function makes. */
const LONGEST = 1_000_000

const listIn = (value: CelValue | undefined): readonly CelValue[] =>
  isList(value ?? null) ? (value as readonly CelValue[]) : []

/** Computes the cost of going through a value to its leaves. */
function traversalCost(value: CelValue, visits: VisitBudget): number {
  visits.take(1)
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) / 10)
  if (value instanceof Uint8Array) return Math.floor(value.length / 10)
  if (isList(value)) return value.reduce<number>((sum, item) => sum + traversalCost(item, visits), 0)
  if (!(value instanceof CelMap)) return 1
  return value
    .keys()
    .reduce<number>(
      (sum, key) => sum + traversalCost(key, visits) + traversalCost(value.get(key) ?? null, visits),
      0,
    )
}

const wholeTraversal: ActualCost = ([list = null], _, { visits }) => traversalCost(list, visits)

function ordered(a: CelValue, b: CelValue): number {
  const order = compare(a, b)
  if (order === undefined) throw new CelError('no such overload')
  return order
}

function isSorted([list]: readonly CelValue[]): boolean {
  return listIn(list).every((item, index, all) => index === 0 || ordered(all[index - 1] ?? null, item) <= 0)
}

function extreme(name: string, sign: number) {
  return ([list]: readonly CelValue[]): CelValue => {
    const [first, ...rest] = listIn(list)
    if (first === undefined) throw new CelError(`${name} called on empty list`)
    return rest.reduce((best, item) => (ordered(item, best) * sign > 0 ? item : best), first)
  }
}

/** Adds up a list. The sum of an empty list is the zero of the type with which the list was declared. */
function sum(zero: CelValue) {
  return ([list]: readonly CelValue[]): CelValue => listIn(list).reduce(plus, zero)
}

function plus(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    if (BigInt.asIntN(64, a + b) !== a + b) throw new CelError('integer overflow')
    return a + b
  }
  if (typeof a === 'number' && typeof b === 'number') return a + b
  if (a instanceof Uint && b instanceof Uint) return new Uint(a.value + b.value)
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanoseconds + b.nanoseconds)
  throw new CelError('no such overload')
}

const ZEROS: Readonly<Record<string, CelValue>> = {
  int: 0n,
  uint: new Uint(0n),
  double: 0,
  duration: new Duration(0n),
}

function slice([list, from, to]: readonly CelValue[]): CelValue {
  const items = listIn(list)
  const [start, end] = [Number(from as bigint), Number(to as bigint)]
  if (start < 0 || end < 0)
    throw new CelError(`cannot slice(${start}, ${end}), negative indexes not supported`)
  if (start > end)
    throw new CelError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`)
  if (end > items.length) throw new CelError(`cannot slice(${start}, ${end}), list is length ${items.length}`)
  return items.slice(start, end)
}

function flatten(
  items: readonly CelValue[],
  depth: number,
  visits: VisitBudget,
  flat: CelValue[] = [],
): CelValue[] {
  for (const item of items) {
    if (depth === 0 || !isList(item)) flat.push(item)
    else {
      visits.take(item.length)
      flatten(item, depth - 1, visits, flat)
    }
  }
  return flat
}

function flattened([list, depth = 1n]: readonly CelValue[], { visits }: CallContext): CelValue {
  if ((depth as bigint) < 0n) throw new CelError('level must be non-negative')
  return flatten(listIn(list), Number(depth as bigint), visits)
}

function sortedBy([list, keys]: readonly CelValue[]): CelValue {
  const sortKeys = listIn(keys)
  const pairs = listIn(list).map((item, index) => ({ item, key: sortKeys[index] ?? null }))
  const [first] = pairs
  if (first && pairs.some(({ key }) => compare(key, first.key) === undefined))
    throw new CelError('list elements must have the same type')
  return pairs.sort((a, b) => ordered(a.key, b.key)).map(({ item }) => item)
}

function range([count]: readonly CelValue[]): CelValue {
  if ((count as bigint) > BigInt(LONGEST)) throw new CelError(`lists.range: more than ${LONGEST} elements`)
  return Array.from({ length: Math.max(0, Number(count as bigint)) }, (_, index) => BigInt(index))
}

function distinct([list]: readonly CelValue[], { visits }: CallContext): CelValue {
  return listIn(list).filter(
    (item, index, all) => all.findIndex((other) => isEqual(item, other, visits)) === index,
  )
}

function indexIn([list, item = null]: readonly CelValue[], { visits }: CallContext): CelValue {
  return BigInt(listIn(list).findIndex((other) => isEqual(other, item, visits)))
}

function lastIndexIn([list, item = null]: readonly CelValue[], { visits }: CallContext): CelValue {
  return BigInt(listIn(list).findLastIndex((other) => isEqual(other, item, visits)))
}

const each = (types: readonly string[], make: (type: string) => Overload): readonly Overload[] =>
  types.map(make)

/** Computes the cost of comparing each item of one list with each of the other, this many times. */
const setCost =
  (times: number) =>
  ([a, b]: readonly CelValue[]): number =>
    1 + times * listIn(a).length * listIn(b).length

/** Making a list of that many items. */
const NEW_LIST = 11
const resultCost = (_: readonly CelValue[], result: CelValue): number => NEW_LIST + sizeOf(result)
const sizeCost = ([list]: readonly CelValue[]): number => NEW_LIST + listIn(list).length
const comparisonCost = ([list]: readonly CelValue[]): number => NEW_LIST + 2 * listIn(list).length ** 2

/** Functions on lists: Kubernetes' own, and cel-go's extensions for lists and sets. */
export const LISTS: Library = {
  isSorted: each(COMPARABLE, (type) => overload(`list<${type}>.() -> bool`, isSorted, wholeTraversal)),
  sum: each(SUMMABLE, (type) =>
    overload(`list<${type}>.() -> ${type}`, sum(ZEROS[type] ?? 0n), wholeTraversal),
  ),
  max: each(COMPARABLE, (type) => overload(`list<${type}>.() -> ${type}`, extreme('max', 1), wholeTraversal)),
  min: each(COMPARABLE, (type) =>
    overload(`list<${type}>.() -> ${type}`, extreme('min', -1), wholeTraversal),
  ),
  indexOf: [overload('list<A>.(A) -> int', indexIn, wholeTraversal)],
  lastIndexOf: [overload('list<A>.(A) -> int', lastIndexIn, wholeTraversal)],
  slice: [overload('list<T>.(int, int) -> list<T>', slice, resultCost)],
  flatten: [
    overload('list<list<T>>.() -> list<T>', flattened, sizeCost),
    overload('list<dyn>.(int) -> list<dyn>', flattened, sizeCost),
  ],
  sort: each(COMPARABLE, (type) =>
    overload(`list<${type}>.() -> list<${type}>`, ([list = null]) => sortedBy([list, list]), comparisonCost),
  ),
  '@sortByAssociatedKeys': each(COMPARABLE, (type) =>
    overload(`list<T>.(list<${type}>) -> list<T>`, sortedBy, comparisonCost),
  ),
  'lists.range': [overload('(int) -> list<int>', range, resultCost)],
  reverse: [overload('list<T>.() -> list<T>', ([list]) => listIn(list).toReversed(), resultCost)],
  distinct: [overload('list<T>.() -> list<T>', distinct, comparisonCost)],
  'sets.contains': [
    overload(
      '(list<T>, list<T>) -> bool',
      ([a, b], { visits }) => includesAll(listIn(a), listIn(b), visits),
      setCost(1),
    ),
  ],
  'sets.equivalent': [
    overload(
      '(list<T>, list<T>) -> bool',
      ([a, b], { visits }) =>
        includesAll(listIn(a), listIn(b), visits) && includesAll(listIn(b), listIn(a), visits),
      setCost(2),
    ),
  ],
  'sets.intersects': [
    overload(
      '(list<T>, list<T>) -> bool',
      ([a, b], { visits }) =>
        listIn(a).some((item) => listIn(b).some((other) => isEqual(item, other, visits))),
      setCost(1),
    ),
  ],
}

function includesAll(list: readonly CelValue[], wanted: readonly CelValue[], visits: VisitBudget): boolean {
  return wanted.every((item) => list.some((other) => isEqual(item, other, visits)))
}
