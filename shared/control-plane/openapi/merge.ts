import { isObject, type JsonObject } from '../json.ts'

/** A v2 document with the paths and definitions of others added; what stands in it already stays as it is. */
export function merged(document: JsonObject, others: readonly JsonObject[]): JsonObject {
  if (others.length === 0) return document
  const all = (name: string): JsonObject => {
    const members = new Map<string, JsonObject[string]>()
    for (const part of [document, ...others]) {
      const own = part[name]
      for (const [key, value] of Object.entries(isObject(own) ? own : {})) {
        if (value !== undefined && !members.has(key)) members.set(key, value)
      }
    }
    return Object.fromEntries([...members].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  return { ...document, paths: all('paths'), definitions: all('definitions'), parameters: all('parameters') }
}
