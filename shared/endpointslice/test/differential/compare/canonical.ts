/** Returns the same text for values that are the same to the API: keys in any order, null like absent. */
export const canonicalText = (value: unknown): string => JSON.stringify(sortedKeys(value))

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([, item]) => item !== null && item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sortedKeys(item)]))
}
