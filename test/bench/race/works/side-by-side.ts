import pLimit from 'p-limit'

/** Writes under way at once: more make the API server no faster on a few processors. */
const CONCURRENT_WRITES = 32

/** Makes a call for each item, as quickly as the server answers. @throws what the first failing call threw */
export async function sideBySide<T>(items: readonly T[], call: (item: T) => Promise<unknown>): Promise<void> {
  await pLimit(CONCURRENT_WRITES).map(items, call)
}
