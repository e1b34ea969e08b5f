import type { Json } from '../json/index.ts'
import { define } from '../json/index.ts'

/** Position in a text, counted from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A value of a text that knows where it stands. */
export type Located = LocatedScalar | LocatedList | LocatedMap

interface LocatedScalar {
  readonly kind: 'scalar'
  readonly place: Place
  readonly value: null | boolean | number | string
}

interface LocatedList {
  readonly kind: 'list'
  readonly place: Place
  readonly items: readonly Located[]
}

export interface LocatedMap {
  readonly kind: 'map'
  readonly place: Place
  readonly entries: readonly LocatedEntry[]
}

export interface LocatedEntry {
  readonly key: string
  readonly place: Place
  readonly value: Located
}

/** Returns the value at a key; null counts as missing. */
export function entryOf(map: LocatedMap, key: string): Located | undefined {
  const value = map.entries.find((entry) => entry.key === key)?.value
  return value?.kind === 'scalar' && value.value === null ? undefined : value
}

/** Returns the entry of a map that has only one. */
export const onlyEntry = (node: Located): LocatedEntry | undefined =>
  node.kind === 'map' && node.entries.length === 1 ? node.entries[0] : undefined

/** Returns the value alone, without its places. */
export function plain(node: Located): Json {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'list') return node.items.map(plain)
  const object: Record<string, Json> = {}
  for (const { key, value } of node.entries) define(object, key, plain(value))
  return object
}

/** Describes a value for messages: `the list [1,2]`. */
export function describe(node: Located): string {
  const text = JSON.stringify(plain(node))
  const short = text.length <= 60 ? text : `${text.slice(0, 60)}…`
  if (node.kind !== 'scalar') return `the ${node.kind} ${short}`
  return node.value === null ? 'null' : `the ${typeof node.value} ${short}`
}
