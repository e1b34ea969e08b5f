import { SchemaList } from './schema-list.ts'
import {
  CelMap,
  type CelValue,
  Duration,
  isList,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
} from './value.ts'
import type { VisitBudget } from './visit-budget.ts'

/**
 * Evaluates CEL's `==`: numbers of all types are compared by value, values of different types are not equal.
 * Throws CelError if the values are too large.
 */
export function isEqual(a: CelValue, b: CelValue, visits: VisitBudget): boolean {
  visits.take(1)
  if (a === b) return true
  if (isList(a)) return isList(b) && sameLists(a, b, visits)
  if (a instanceof CelMap) return b instanceof CelMap && sameMaps(a, b, visits)
  if (isNumber(a)) return isNumber(b) && compareNumbers(a, b) === 0
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Optional) return b instanceof Optional && sameOptionals(a, b, visits)
  return sameObjects(a, b)
}

function sameObjects(a: Exclude<CelValue, null>, b: Exclude<CelValue, null>): boolean {
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanoseconds === b.nanoseconds
  if (a instanceof Duration) return b instanceof Duration && a.nanoseconds === b.nanoseconds
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  return a instanceof Opaque && b instanceof Opaque && a.typeName === b.typeName && a.equals(b)
}

function sameOptionals(a: Optional, b: Optional, visits: VisitBudget): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value
  return isEqual(a.value, b.value, visits)
}

function sameLists(a: readonly CelValue[], b: readonly CelValue[], visits: VisitBudget): boolean {
  if (a.length !== b.length) return false
  if (a instanceof SchemaList) return sameUnordered(a, b, visits)
  return a.every((item, index) => isEqual(item, b[index] ?? null, visits))
}

function sameUnordered(a: SchemaList, b: readonly CelValue[], visits: VisitBudget): boolean {
  return a.every((item) => {
    const same = counterpart(a, b, { item, visits })
    return same !== undefined && isEqual(item, same, visits)
  })
}

/** Joins two lists: items of the second one replace those with the same key, or else follow. */
export function joinUnordered(a: SchemaList, b: readonly CelValue[], visits: VisitBudget): SchemaList {
  const kept = a.map((item) => counterpart(a, b, { item, visits }) ?? item)
  const added = b.filter((item) => counterpart(a, a, { item, visits }) === undefined)
  return new SchemaList([...kept, ...added], a.itemKeys)
}

/** Returns the item of a list that is the same as one of `list` by its keys; in a set by its value. */
function counterpart(
  { itemKeys: keys }: SchemaList,
  items: readonly CelValue[],
  { item, visits }: { readonly item: CelValue; readonly visits: VisitBudget },
): CelValue | undefined {
  if (!keys) return items.find((other) => isEqual(other, item, visits))
  return items.find((other) =>
    keys.every((key) => isEqual(memberOf(item, key), memberOf(other, key), visits)),
  )
}

const memberOf = (item: CelValue, key: string): CelValue =>
  item instanceof CelMap ? (item.get(key) ?? null) : null

function sameMaps(a: CelMap, b: CelMap, visits: VisitBudget): boolean {
  if (a.size !== b.size || a.structName !== b.structName) return false
  return a.keys().every((key) => {
    const other = b.get(key)
    return other !== undefined && isEqual(a.get(key) ?? null, other, visits)
  })
}

type Numeric = bigint | number | Uint

function isNumber(value: CelValue): value is Numeric {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint
}

/** Compares numbers: below 0, 0 or above 0; NaN if one of them is NaN. */
function compareNumbers(a: Numeric, b: Numeric): number {
  const left = a instanceof Uint ? a.value : a
  const right = b instanceof Uint ? b.value : b
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN
  if (left === right) return 0
  // A bigint and a number are compared by their exact values, and may be equal while they are not the same.
  if (left < right) return -1
  return left > right ? 1 : 0
}

/** Returns the order of two values that have one; undefined if they have none. */
export function compare(a: CelValue, b: CelValue): number | undefined {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b)
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  const times =
    (a instanceof Timestamp && b instanceof Timestamp) || (a instanceof Duration && b instanceof Duration)
  return times ? compareNumbers(a.nanoseconds, b.nanoseconds) : undefined
}
