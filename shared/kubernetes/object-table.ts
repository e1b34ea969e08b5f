export type ObjectTable<Entry> = ReturnType<typeof createObjectTable<Entry>>

/** Memory of the objects of one kind, by a text key; knows which of them a new list no longer names. */
export function createObjectTable<Entry>() {
  const map = new Map<string, Entry>()
  let isListed = false
  /** Keys that the list under way has not named yet. */
  let missing: Set<string> | undefined
  return {
    get: (key: string): Entry | undefined => map.get(key),
    set: (key: string, entry: Entry): void => {
      map.set(key, entry)
      missing?.delete(key)
    },
    delete: (key: string): void => {
      map.delete(key)
      missing?.delete(key)
    },
    entries: () => map.entries(),
    size: () => map.size,
    /** Reports whether a list was complete once. */
    isListed: () => isListed,
    /** Notes that a whole list begins. */
    listing: (): void => {
      missing = new Set(map.keys())
    },
    /** Notes that the list is complete: removes and returns what was not set since `listing`. */
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
