import type { JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../../apimachinery/json/values.ts'

/**
 * Way in which a place in an object merges: the rules of structured-merge-diff. A schema of any kind is
 * plugged in by giving the type of its root. Types may refer to each other in circles, so members are looked
 * up by name.
 */
export type MergeType = ScalarType | MapType | ListType | AnyType

export interface ScalarType {
  readonly kind: 'scalar'
  /** `untyped` takes every scalar. */
  readonly scalar: 'string' | 'number' | 'boolean' | 'untyped'
}

/** An object: declared members, others, or both. */
export interface MapType {
  readonly kind: 'map'
  /** True where the whole has one owner. */
  readonly atomic: boolean
  /** Returns the type of a declared member. */
  member(name: string): MergeType | undefined
  /** Returns the value of a declared member that is absent. It completes keys of lists. */
  defaultOf?(name: string): JsonValue | undefined
  /** The type of members that are not declared; without it there may be none. */
  readonly others?: MergeType
}

export interface ListType {
  readonly kind: 'list'
  /** How elements are identified: `map`, by keys; `set`, by value; `atomic`: the whole has one owner. */
  readonly relation: 'atomic' | 'set' | 'map'
  /** Members that identify the elements of a `map`. */
  readonly keys: readonly string[]
  readonly element: MergeType
}

/** Type that the value decides: an object merges as `map`, a list as `list`, anything else is a scalar. */
interface AnyType {
  readonly kind: 'any'
  readonly map: MapType
  readonly list: ListType
}

export const UNTYPED: ScalarType = { kind: 'scalar', scalar: 'untyped' }

/** Anything, with one owner as a whole. */
export const ATOMIC: AnyType = {
  kind: 'any',
  map: {
    kind: 'map',
    atomic: true,
    member: () => undefined,
    get others() {
      return ATOMIC
    },
  },
  list: {
    kind: 'list',
    relation: 'atomic',
    keys: [],
    get element() {
      return ATOMIC
    },
  },
}

/** Type of what is not known: objects merge by member, lists are atomic. */
export const DEDUCED: AnyType = {
  kind: 'any',
  map: {
    kind: 'map',
    atomic: false,
    member: () => undefined,
    get others() {
      return DEDUCED
    },
  },
  list: { kind: 'list', relation: 'atomic', keys: [], element: ATOMIC },
}

export type DefiniteType = Exclude<MergeType, AnyType>

/** Returns the type that the value decides; without a value, that of an object. */
export function definiteType(type: MergeType, value: JsonValue | undefined): DefiniteType {
  if (type.kind !== 'any') return type
  if (Array.isArray(value)) return type.list
  return isObject(value) || value === undefined || value === null ? type.map : UNTYPED
}

/** Returns the type of a member, declared or not. */
export function memberType(type: MapType, name: string): MergeType | undefined {
  return type.member(name) ?? type.others
}
