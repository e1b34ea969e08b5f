import { CelError } from '../errors.ts'
import {
  CelMap,
  type CelValue,
  Duration,
  isList,
  LiteralMap,
  Optional,
  sizeOf,
  Timestamp,
  Uint,
} from '../values/value.ts'
import { type Library, overload } from './function.ts'
import { shown } from './operators.ts'

/** Go's zero time, in nanoseconds since 1970. */
const YEAR_ONE = -62_135_596_800n * 1_000_000_000n

const inside = (value: CelValue | undefined): CelValue | undefined =>
  value instanceof Optional ? value.value : undefined

function isZero(value: CelValue): boolean {
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Duration) return value.nanoseconds === 0n
  if (value instanceof Timestamp) return value.nanoseconds === YEAR_ONE
  if (typeof value === 'string' || value instanceof Uint8Array || isList(value) || value instanceof CelMap)
    return sizeOf(value) === 0
  return value === null || value === false || value === 0n || value === 0
}

const first = ([list]: readonly CelValue[]): CelValue => wrapped((list as readonly CelValue[])[0])
const last = ([list]: readonly CelValue[]): CelValue => wrapped((list as readonly CelValue[]).at(-1))
const wrapped = (value: CelValue | undefined): Optional =>
  value === undefined ? Optional.none : new Optional(value)

function unwrap([list]: readonly CelValue[]): CelValue {
  return (list as readonly CelValue[]).flatMap((item) => {
    const value = inside(item)
    return value === undefined ? [] : [value]
  })
}

/** Optional values. `or` and `orValue` evaluate their argument only if needed: no plain functions. */
export const OPTIONALS: Library = {
  'optional.of': [overload('(V) -> optional<V>', ([value = null]) => new Optional(value))],
  'optional.none': [overload('() -> optional<V>', () => Optional.none)],
  'optional.ofNonZeroValue': [
    overload('(V) -> optional<V>', ([value = null]) => (isZero(value) ? Optional.none : new Optional(value))),
  ],
  hasValue: [overload('optional<V>.() -> bool', ([value]) => inside(value) !== undefined)],
  value: [
    overload('optional<V>.() -> V', ([value]) => {
      const found = inside(value)
      if (found === undefined) throw new CelError('optional.none() dereference')
      return found
    }),
  ],
  or: [
    overload('optional<V>.(optional<V>) -> optional<V>', ([value = null, other = null]) =>
      inside(value) === undefined ? other : value,
    ),
  ],
  orValue: [overload('optional<V>.(V) -> V', ([value, other = null]) => inside(value) ?? other)],
  first: [overload('list<V>.() -> optional<V>', first)],
  last: [overload('list<V>.() -> optional<V>', last)],
  'optional.unwrap': [overload('(list<optional<V>>) -> list<V>', unwrap)],
  unwrapOpt: [overload('list<optional<V>>.() -> list<V>', unwrap)],
  'cel.@mapInsert': [
    overload('(map<K, V>, K, V) -> map<K, V>', ([map, key = null, value = null]) => insert(map, key, value)),
    overload('(map<K, V>, map<K, V>) -> map<K, V>', ([map, more]) => {
      const added = more instanceof CelMap ? more : new LiteralMap()
      return added.keys().reduce((target, key) => insert(target, key, added.get(key) ?? null), map ?? null)
    }),
  ],
}

/** Inserts into a map that has no other reader. Only comprehensions do. */
function insert(map: CelValue | undefined, key: CelValue, value: CelValue): CelValue {
  if (!(map instanceof LiteralMap)) throw new CelError('no such overload')
  if (map.get(key) !== undefined) throw new CelError(`insert failed: key ${shown(key)} already exists`)
  map.insert(key, value)
  return map
}
