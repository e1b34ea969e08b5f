import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, ownMember, sameJson } from '../../../apimachinery/json/values.ts'
import { emptySet, type FieldSet, insertField } from '../fields/field-set.ts'
import { memberElement } from '../fields/path-element.ts'
import {
  type DefiniteType,
  definiteType,
  type ListType,
  type MapType,
  type MergeType,
  memberType,
} from '../types/merge-type.ts'
import { byPlace, listElements } from './elements.ts'

/** Differences between two states of an object. */
export interface Comparison {
  /** Fields that are new or have another value. */
  readonly changed: FieldSet
  readonly removed: FieldSet
}

type Value = JsonValue | undefined
type Pair = readonly [before: Value, after: Value]

/** Compares two objects by the merge rules of their fields. */
export function compareObjects(before: JsonObject, after: JsonObject, type: MapType): Comparison {
  const walk = new Walk()
  walk.map([before, after], type, [])
  return walk
}

class Walk implements Comparison {
  readonly changed = emptySet()
  readonly removed = emptySet()

  map(pair: Pair, type: MapType, path: readonly string[]): void {
    for (const name of keysOf(...pair)) {
      const item = memberType(type, name)
      if (item) this.#value(pairAt(pair, name), item, [...path, memberElement(name)])
    }
  }

  /** Compares two values by type, else by themselves: one of another kind counts as removed and new. */
  #value(pair: Pair, declared: MergeType, path: readonly string[]): void {
    const [before, after] = pair
    if (before === undefined && after === undefined) return
    const was = definiteType(declared, before)
    const is = definiteType(declared, after)
    if (after === undefined || (before !== undefined && was.kind !== is.kind)) this.#as(was, pair, path)
    if (after !== undefined) this.#as(is, pair, path)
  }

  #as(type: DefiniteType, pair: Pair, path: readonly string[]): void {
    if (isLeaf(type) || pair.every((value) => isEmpty(value, type))) this.#leaf(pair, path)
    else this.#granular(pair, type, path)
  }

  #granular(pair: Pair, type: DefiniteType, path: readonly string[]): void {
    const [before, after] = pair
    if (type.kind === 'list') this.#list(pair, type, path)
    else if (type.kind === 'map') this.map(pair, type, path)
    if (before === undefined) insertField(this.changed, path)
    if (after === undefined) insertField(this.removed, path)
  }

  #list([before, after]: Pair, type: ListType, path: readonly string[]): void {
    const was = byPlace(listElements(before, type))
    const is = byPlace(listElements(after, type))
    for (const at of new Set([...was.keys(), ...is.keys()])) {
      this.#element([was.get(at) ?? [], is.get(at) ?? []], type.element, [...path, at])
    }
  }

  /** Compares what stands at a list's place: one value, or duplicates, which count as one value. */
  #element([was, is]: readonly [JsonValue[], JsonValue[]], type: MergeType, path: readonly string[]): void {
    const [before, after] = [was, is].map((values) => (values.length > 1 ? undefined : values[0]))
    if (was.length > 1 && is.length > 1) this.#leaf([was, is], path)
    else this.#value([before, after], type, path)
    if (was.length > 1 && is.length <= 1) insertField(this.removed, path)
    if (is.length > 1 && was.length <= 1) insertField(this.changed, path)
  }

  #leaf([before, after]: Pair, path: readonly string[]): void {
    if (after === undefined) insertField(this.removed, path)
    else if (before === undefined || !sameJson(before, after)) insertField(this.changed, path)
  }
}

function isLeaf(type: DefiniteType): boolean {
  if (type.kind === 'map') return type.atomic
  return type.kind === 'scalar' || type.relation === 'atomic'
}

/** Reports whether a value is empty. One of another kind than the type counts as empty. */
function isEmpty(value: Value, type: DefiniteType): boolean {
  if (type.kind === 'list') return !Array.isArray(value) || value.length === 0
  return !isObject(value) || Object.keys(value).length === 0
}

function keysOf(before: Value, after: Value): Set<string> {
  return new Set([before, after].flatMap((value) => (isObject(value) ? Object.keys(value) : [])))
}

function pairAt([before, after]: Pair, name: string): Pair {
  return [memberOf(before, name), memberOf(after, name)]
}

function memberOf(value: Value, name: string): Value {
  return isObject(value) ? ownMember(value, name) : undefined
}
