/** Memory of the objects of one kind, by a text key; knows which of them a new list no longer names. */
export interface ObjectTable<Entry> {
  get(key: string): Entry | undefined
  set(key: string, entry: Entry): void
  delete(key: string): void
  entries(): MapIterator<[string, Entry]>
  size(): number
  /** Reports whether a list was complete once. */
  isListed(): boolean
  /** Notes that a whole list begins. */
  listing(): void
  /** Notes that the list is complete: removes and returns what was not set since `listing`. */
  listed(): [string, Entry][]
}

export function createObjectTable<Entry>(): ObjectTable<Entry> {
  const map = new Map<string, Entry>()
  let isListed = false
  /** Keys that the list under way has not named yet. */
  let missing: Set<string> | undefined
  return {
    get: (key) => map.get(key),
    set: (key, entry) => {
      map.set(key, entry)
      missing?.delete(key)
    },
    delete: (key) => {
      map.delete(key)
      missing?.delete(key)
    },
    entries: () => map.entries(),
    size: () => map.size,
    isListed: () => isListed,
    listing: () => {
      missing = new Set(map.keys())
    },
    listed: () => {
      const gone: [string, Entry][] = []
      for (const key of missing ?? []) {
        const entry = map.get(key)
        if (entry !== undefined) gone.push([key, entry])
        map.delete(key)
      }
      missing = undefined
      isListed = true
      return gone
    },
  }
}
