/**
 * Runs the work of one key one after another, in the order it came, and that of different keys side by side. A failure
 * ends only its own work.
 */
export type OneAtATime<K> = <T>(key: K, work: () => Promise<T>) => Promise<T>

export function createOneAtATime<K>(): OneAtATime<K> {
  const last = new Map<K, Promise<unknown>>()
  return async (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work)
    const settled = mine.catch(() => undefined)
    last.set(key, settled)
    try {
      return await mine
    } finally {
      if (last.get(key) === settled) last.delete(key)
    }
  }
}
