import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { identityOf, isObject } from '../../apimachinery/json/values.ts'

/** The elements of a list that has a merge key, while those of a patch are laid over them. */
export class KeyedList {
  readonly #key: string
  /** Undefined for what has been taken away. */
  readonly #elements: (JsonValue | undefined)[]
  /** Places of the elements with a value of the key. */
  readonly #places = new Map<string, number[]>()

  constructor(elements: readonly JsonValue[], key: string) {
    this.#key = key
    this.#elements = []
    for (const element of elements) this.#add(element)
  }

  get elements(): JsonValue[] {
    return this.#elements.filter((element) => element !== undefined)
  }

  /** Takes away every element with the same key as the item. */
  remove(item: JsonObject): void {
    const identity = identityOf(item[this.#key])
    for (const place of this.#places.get(identity) ?? []) this.#elements[place] = undefined
    this.#places.delete(identity)
  }

  /** Changes each element with the item's key; without one, appends it, merged with nothing. */
  merge(item: JsonObject, merge: (element: JsonObject) => JsonObject): void {
    const places = this.#places.get(identityOf(item[this.#key]))
    if (places === undefined) {
      this.#add(merge({}))
      return
    }
    for (const place of places) {
      const element = this.#elements[place]
      if (isObject(element)) this.#elements[place] = merge(element)
    }
  }

  #add(element: JsonValue): void {
    const place = this.#elements.push(element) - 1
    if (!isObject(element)) return
    const identity = identityOf(element[this.#key])
    const places = this.#places.get(identity)
    if (places) places.push(place)
    else this.#places.set(identity, [place])
  }
}
