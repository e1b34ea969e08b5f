/**
 * Keys that one of the function's memories holds at most: some 10 MB. Messages may name any Service, also one that is not
 * there; a key that is forgotten early is only looked at or tried once more.
 */
const MOST_KEYS = 50_000

/** Keeps a map within its bound, by what was put into it first. */
export function dropOldest(map: Map<unknown, unknown>, most = MOST_KEYS): void {
  for (const key of map.keys()) {
    if (map.size <= most) return
    map.delete(key)
  }
}
