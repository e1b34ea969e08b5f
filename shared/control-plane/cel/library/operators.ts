import { CelError } from '../errors.ts'
import { compare, isEqual, joinUnordered } from '../values/equality.ts'
import { SchemaList } from '../values/schema-list.ts'
import { durationOf, timestampOf } from '../values/time.ts'
import {
  CelMap,
  type CelValue,
  Duration,
  isList,
  Opaque,
  Optional,
  sizeOf,
  Timestamp,
  typeNameOf,
  Uint,
} from '../values/value.ts'
import {
  type ActualCost,
  bothTraversals,
  type CallContext,
  type Library,
  overload,
  shorterTraversal,
} from './function.ts'

const LEAST = -(2n ** 63n)
const MOST = 2n ** 63n - 1n
const MOST_UNSIGNED = 2n ** 64n - 1n

function int(value: bigint): bigint {
  if (value < LEAST || value > MOST) throw new CelError('integer overflow')
  return value
}

function uint(value: bigint): Uint {
  if (value < 0n || value > MOST_UNSIGNED) throw new CelError('unsigned integer overflow')
  return new Uint(value)
}

/** Makes the overloads of an operation on integers, unsigned integers and, if it has one, doubles. */
function arithmetic(
  whole: (a: bigint, b: bigint) => bigint,
  real?: (a: number, b: number) => number,
): ReturnType<typeof overload>[] {
  return [
    overload('(int, int) -> int', ([a, b]) => int(whole(a as bigint, b as bigint))),
    overload('(uint, uint) -> uint', ([a, b]) => uint(whole((a as Uint).value, (b as Uint).value))),
    ...(real ? [overload('(double, double) -> double', ([a, b]) => real(a as number, b as number))] : []),
  ]
}

function nonZero(divisor: bigint, what: string): bigint {
  if (divisor === 0n) throw new CelError(`${what} by zero`)
  return divisor
}

/** Computes the remainder. Without a quotient of 64 bits there is none, as in Go. */
function remainder(a: bigint, b: bigint): bigint {
  if (a === LEAST && b === -1n) throw new CelError('integer overflow')
  return a % b
}

const nanoseconds = (value: CelValue | undefined): bigint =>
  value instanceof Timestamp || value instanceof Duration ? value.nanoseconds : 0n

/** Adds to a time, in the zone that it is in. */
function later(time: CelValue | undefined, by: bigint): Timestamp {
  const moved = timestampOf(nanoseconds(time) + by, 'timestamp overflow')
  return new Timestamp(moved.nanoseconds, time instanceof Timestamp ? time.offset : 0)
}

const ORDERED = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration']
const NUMERIC = ['int', 'uint', 'double']

function ordering(holds: (order: number) => boolean): ReturnType<typeof overload>[] {
  const pairs = [
    ...ORDERED.map((type) => [type, type] as const),
    ...NUMERIC.flatMap((a) => NUMERIC.filter((b) => b !== a).map((b) => [a, b] as const)),
  ]
  return pairs.map(([a, b]) =>
    overload(
      `(${a}, ${b}) -> bool`,
      ([left = null, right = null]) => {
        const order = compare(left, right) ?? Number.NaN
        if (Number.isNaN(order)) throw new CelError('NaN values cannot be ordered')
        return holds(order)
      },
      a === 'string' || a === 'bytes' ? shorterTraversal : undefined,
    ),
  )
}

/** Computes the cost of equality. Comparing opaque values costs 1. */
const equalityCost: ActualCost = (args, result, context) =>
  args[0] instanceof Opaque ? 1 : shorterTraversal(args, result, context)

function elementAt(list: readonly CelValue[], index: CelValue): CelValue | undefined {
  const at = index instanceof Uint ? index.value : index
  if (typeof at === 'number' && !Number.isInteger(at))
    throw new CelError(`unsupported index value ${at} in list`)
  if (typeof at !== 'bigint' && typeof at !== 'number')
    throw new CelError(`unsupported index type '${typeNameOf(index)}' in list`)
  return at < 0 ? undefined : list[Number(at)]
}

/** Returns the element or member, if there is one. Throws CelError for an invalid index of a list. */
export function lookUp(container: CelValue, key: CelValue): CelValue | undefined {
  if (isList(container)) return elementAt(container, key)
  return container instanceof CelMap ? container.get(key) : undefined
}

function indexed([container = null, key = null]: readonly CelValue[]): CelValue {
  const found = lookUp(container, key)
  if (found !== undefined) return found
  if (isList(container)) throw new CelError(`index out of bounds: ${shown(key)}`)
  throw new CelError(`no such key: ${shown(key)}`)
}

export function shown(key: CelValue): string {
  return key instanceof Uint ? String(key.value) : String(key)
}

/** Looks up a key whose type is known only now: numbers of all types are keys of lists and maps alike. */
export function indexedDynamically(args: readonly CelValue[]): CelValue {
  return args[0] instanceof Optional ? indexedOptional(args) : indexed(args)
}

export function indexedOptional([container = null, key = null]: readonly CelValue[]): CelValue {
  const inner = container instanceof Optional ? container.value : container
  if (inner === undefined) return Optional.none
  const found = lookUp(inner, key)
  return found === undefined ? Optional.none : new Optional(found)
}

function contains([item = null, container = null]: readonly CelValue[], { visits }: CallContext): CelValue {
  if (container instanceof CelMap) return container.get(item) !== undefined
  return isList(container) && container.some((other) => isEqual(item, other, visits))
}

function joinLists([a = null, b = null]: readonly CelValue[], { visits }: CallContext): CelValue {
  if (!isList(a) || !isList(b)) throw new CelError('no such overload')
  // Upstream joins lists without a copy and at a cost of 1, whatever their size.
  visits.take(a.length + b.length)
  return a instanceof SchemaList ? joinUnordered(a, b, visits) : [...a, ...b]
}

const INDEXED_OPTIONAL = [
  overload('(list<V>, int) -> optional<V>', indexedOptional),
  overload('(map<K, V>, K) -> optional<V>', indexedOptional),
  overload('(optional<list<V>>, int) -> optional<V>', indexedOptional),
  overload('(optional<map<K, V>>, K) -> optional<V>', indexedOptional),
]

const ofOptional = (get: typeof indexed): typeof indexed => (get === indexed ? indexedOptional : get)

/** The operators of CEL; `&&`, `||` and `?:` are no functions and not among them. */
export const OPERATORS: Library = {
  '_+_': [
    ...arithmetic(
      (a, b) => a + b,
      (a, b) => a + b,
    ),
    overload('(string, string) -> string', ([a, b]) => `${a}${b}`, bothTraversals),
    overload(
      '(bytes, bytes) -> bytes',
      ([a, b]) => new Uint8Array(Buffer.concat([a as Uint8Array, b as Uint8Array])),
      bothTraversals,
    ),
    overload('(list<A>, list<A>) -> list<A>', joinLists),
    overload('(timestamp, duration) -> timestamp', ([a, b]) => later(a, nanoseconds(b))),
    overload('(duration, timestamp) -> timestamp', ([a, b]) => later(b, nanoseconds(a))),
    overload('(duration, duration) -> duration', ([a, b]) => durationOf(nanoseconds(a) + nanoseconds(b))),
  ],
  '_-_': [
    ...arithmetic(
      (a, b) => a - b,
      (a, b) => a - b,
    ),
    overload('(timestamp, timestamp) -> duration', ([a, b]) => durationOf(nanoseconds(a) - nanoseconds(b))),
    overload('(timestamp, duration) -> timestamp', ([a, b]) => later(a, -nanoseconds(b))),
    overload('(duration, duration) -> duration', ([a, b]) => durationOf(nanoseconds(a) - nanoseconds(b))),
  ],
  '_*_': arithmetic(
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  '_/_': arithmetic(
    (a, b) => a / nonZero(b, 'division'),
    (a, b) => a / b,
  ),
  '_%_': arithmetic((a, b) => remainder(a, nonZero(b, 'modulus'))),
  '-_': [
    overload('(int) -> int', ([a]) => int(-(a as bigint))),
    overload('(double) -> double', ([a]) => -(a as number)),
  ],
  '!_': [overload('(bool) -> bool', ([a]) => a !== true)],
  '_==_': [
    overload('(A, A) -> bool', ([a = null, b = null], { visits }) => isEqual(a, b, visits), equalityCost),
  ],
  '_!=_': [
    overload(
      '(A, A) -> bool',
      ([a = null, b = null], { visits }) => !isEqual(a, b, visits),
      shorterTraversal,
    ),
  ],
  '_<_': ordering((order) => order < 0),
  '_<=_': ordering((order) => order <= 0),
  '_>_': ordering((order) => order > 0),
  '_>=_': ordering((order) => order >= 0),
  '@in': [
    overload('(A, list<A>) -> bool', contains, ([, list = null]) => sizeOf(list)),
    overload('(A, map<A, B>) -> bool', contains),
  ],
  '_[_]': [
    overload('(list<A>, int) -> A', indexed),
    overload('(map<A, B>, A) -> B', indexed),
    overload('(optional<list<V>>, int) -> optional<V>', ofOptional(indexed)),
    overload('(optional<map<K, V>>, K) -> optional<V>', ofOptional(indexed)),
  ],
  '_[?_]': INDEXED_OPTIONAL,
}
