import type { JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, ownMember } from '../../../apimachinery/json/values.ts'
import { keyElement, valueElement } from '../fields/path-element.ts'
import type { ListType, MergeType } from '../types/merge-type.ts'

/** An element of a list that merges by element; lists from storage may have several of one place. */
export interface ListElement {
  /** Its element of the path. */
  readonly at: string
  readonly value: JsonValue
}

/** Returns elements of a list that merges by key or value, but for those with a `placeProblem`. */
export function listElements(value: JsonValue | undefined, type: ListType): ListElement[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item) => {
    const at = placeOf(item, type)
    return at === undefined ? [] : [{ at, value: item }]
  })
}

/** Returns what is wrong with an element that has no place in its list; undefined if it has one. */
export function placeProblem(item: JsonValue, type: ListType): string | undefined {
  if (type.relation === 'map') {
    if (item === null) return 'associative list with keys may not have a null element'
    if (!isObject(item)) return 'associative list with keys may not have non-map elements'
    if (placeOf(item, type) !== undefined) return undefined
    const keys = `[${type.keys.map((key) => JSON.stringify(key)).join(' ')}]`
    return `associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`
  }
  if (item === null) return "associative list without keys has an element that's an explicit null"
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements'
  return isObject(item) ? "associative list without keys has an element that's a map type" : undefined
}

/** Returns the path element of a list's element; undefined if it cannot be determined. */
export function placeOf(item: JsonValue, type: ListType): string | undefined {
  if (type.relation === 'set') return typeof item === 'object' ? undefined : valueElement(item)
  if (!isObject(item)) return undefined
  const keys = type.keys.flatMap((key): [string, JsonValue][] => {
    const value = ownMember(item, key) ?? defaultOf(type.element, key)
    return value === undefined ? [] : [[key, value]]
  })
  return keys.length > 0 ? keyElement(Object.fromEntries(keys)) : undefined
}

function defaultOf(type: MergeType, key: string): JsonValue | undefined {
  return type.kind === 'map' ? type.defaultOf?.(key) : undefined
}

/** Groups the elements by their places: one each, or several if the list has duplicates. */
export function byPlace(elements: readonly ListElement[]): Map<string, JsonValue[]> {
  const out = new Map<string, JsonValue[]>()
  for (const { at, value } of elements) {
    const known = out.get(at)
    if (known) known.push(value)
    else out.set(at, [value])
  }
  return out
}
