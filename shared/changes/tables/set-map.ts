const NONE: ReadonlySet<never> = new Set()

/** Values by key, many to one; a key is there as long as it has a value. */
export class SetMap<Key, Value> {
  readonly #map = new Map<Key, Set<Value>>()

  /** Returns the values of a key; empty if there are none. */
  get(key: Key): ReadonlySet<Value> {
    return this.#map.get(key) ?? NONE
  }

  add(key: Key, value: Value): void {
    this.#map.set(key, (this.#map.get(key) ?? new Set()).add(value))
  }

  delete(key: Key, value: Value): void {
    const values = this.#map.get(key)
    if (values?.delete(value) && values.size === 0) this.#map.delete(key)
  }

  keys(): MapIterator<Key> {
    return this.#map.keys()
  }
}
