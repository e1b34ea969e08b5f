/** Values by key, many to one; a key is there as long as it has a value. */
export interface SetMap<Key, Value> {
  /** Returns the values of a key; empty if there are none. */
  get(key: Key): ReadonlySet<Value>
  add(key: Key, value: Value): void
  delete(key: Key, value: Value): void
  keys(): MapIterator<Key>
}

export function createSetMap<Key, Value>(): SetMap<Key, Value> {
  const map = new Map<Key, Set<Value>>()
  return {
    get: (key) => map.get(key) ?? NONE,
    add(key, value) {
      map.set(key, (map.get(key) ?? new Set()).add(value))
    },
    delete(key, value) {
      const values = map.get(key)
      if (values?.delete(value) && values.size === 0) map.delete(key)
    },
    keys: () => map.keys(),
  }
}

const NONE: ReadonlySet<never> = new Set()
