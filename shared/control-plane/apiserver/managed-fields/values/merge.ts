import type { JsonObject, JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { isObject, ownMember } from '../../../apimachinery/json/values.ts'
import { definiteType, type ListType, type MapType, type MergeType, memberType } from '../types/merge-type.ts'
import { byPlace, type ListElement, listElements } from './elements.ts'

type Value = JsonValue | undefined

/** Lays one value over another: nothing is taken away, where both have a leaf the second one's counts. */
export function mergeValues(before: Value, over: Value, declared: MergeType): Value {
  if (over === undefined) return before
  if (before === undefined) return over
  const type = definiteType(declared, over ?? before)
  if (type.kind === 'scalar' || (isEmpty(before) && isEmpty(over))) return over
  if (type.kind === 'list') {
    const merges = type.relation !== 'atomic' && isListOrNull(before) && isListOrNull(over)
    return merges ? mergeLists(before, over, type) : over
  }
  const merges = !type.atomic && isMapOrNull(before) && isMapOrNull(over)
  return merges ? mergeMaps(before, over, type) : over
}

const isListOrNull = (value: JsonValue): boolean => value === null || Array.isArray(value)
const isMapOrNull = (value: JsonValue): boolean => value === null || isObject(value)

function isEmpty(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === null || (isObject(value) && Object.keys(value).length === 0)
}

function mergeMaps(before: JsonValue, over: JsonValue, type: MapType): JsonObject {
  const left = isObject(before) ? before : {}
  const right = isObject(over) ? over : {}
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return Object.fromEntries(
    [...names].map((name) => {
      const [mine, other] = [ownMember(left, name), ownMember(right, name)]
      const itemType = memberType(type, name)
      return [name, itemType ? mergeValues(mine, other, itemType) : (other ?? mine)]
    }),
  )
}

function mergeLists(before: JsonValue, over: JsonValue, type: ListType): JsonValue[] {
  return new ListMerge(listElements(before, type), listElements(over, type), type.element).merged()
}

/**
 * Merges two lists by element. Elements of the second list stand in its order; those of the first list alone
 * stay before the shared element that they stood before.
 */
class ListMerge {
  readonly #left: readonly ListElement[]
  readonly #right: readonly ListElement[]
  readonly #type: MergeType
  readonly #inLeft: Map<string, JsonValue[]>
  readonly #inRight: ReadonlySet<string>
  /** Elements of both lists that are still to come, in the order of the second one. */
  readonly #shared: string[]
  readonly #taken = new Set<string>()
  readonly #out: JsonValue[] = []

  constructor(left: readonly ListElement[], right: readonly ListElement[], type: MergeType) {
    this.#left = left
    this.#right = right
    this.#type = type
    this.#inLeft = byPlace(left)
    this.#inRight = new Set(right.map(({ at }) => at))
    this.#shared = right.map(({ at }) => at).filter((at) => this.#inLeft.has(at))
  }

  merged(): JsonValue[] {
    let [left, right] = [0, 0]
    while (left < this.#left.length || right < this.#right.length) {
      const [mine, other] = [this.#left[left], this.#right[right]]
      if (mine && !this.#inRight.has(mine.at)) {
        this.#out.push(mine.value)
        left++
      } else if (mine && (this.#taken.has(mine.at) || this.#isOutOfTurn(mine, other))) left++
      else if (other) {
        this.#take(other)
        right++
      }
    }
    return this.#out
  }

  /** Reports whether a shared element of the first list has a later place in the second one. */
  #isOutOfTurn(mine: ListElement, other: ListElement | undefined): boolean {
    return other !== undefined && this.#shared.length > 0 && this.#shared[0] !== mine.at
  }

  #take({ at, value }: ListElement): void {
    const [known, ...duplicates] = this.#inLeft.get(at) ?? []
    const merged = duplicates.length > 0 ? value : mergeValues(known, value, this.#type)
    if (merged !== undefined) this.#out.push(merged)
    this.#taken.add(at)
    if (this.#shared[0] === at) this.#shared.shift()
  }
}
