export type ObjectTable<Entry> = ReturnType<typeof createObjectTable<Entry>>

/**
 * Memory of the objects of one kind, by a text key; knows which of them a new list no longer names.
 * @param onChange called with each entry that comes, goes, or takes the place of another
 */
export function createObjectTable<Entry>(
  onChange?: (before: Entry | undefined, after: Entry | undefined, key: string) => void,
) {
  const map = new Map<string, Entry>()
  let isListed = false
  /** Keys that the list under way has not named yet. */
  let missing: Set<string> | undefined

  function put(key: string, after: Entry | undefined): Entry | undefined {
    const before = map.get(key)
    if (after === undefined) map.delete(key)
    else map.set(key, after)
    missing?.delete(key)
    if (before !== after) onChange?.(before, after, key)
    return before
  }

  return {
    get: (key: string): Entry | undefined => map.get(key),
    /** Returns the entry before. */
    set: (key: string, entry: Entry): Entry | undefined => put(key, entry),
    /** Returns the entry before. */
    delete: (key: string): Entry | undefined => put(key, undefined),
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
        const entry = put(key, undefined)
        if (entry !== undefined) gone.push([key, entry])
      }
      missing = undefined
      isListed = true
      return gone
    },
  }
}
