import { isList, isObject, type Json, type JsonList, type JsonObject, member } from '../json/index.ts'

/**
 * Applies what an Updater gives to an object. Everything is as given, except metadata: labels and annotations
 * are added to those that are there, and the rest stays.
 */
export function updated(stored: JsonObject, given: JsonObject): JsonObject {
  const before = member(stored, 'metadata')
  const metadata = isObject(before) ? before : {}
  const wanted = member(given, 'metadata')
  const added = isObject(wanted) ? wanted : {}
  return {
    ...given,
    metadata: {
      ...metadata,
      ...mergedMap('labels', metadata, added),
      ...mergedMap('annotations', metadata, added),
    },
  }
}

function mergedMap(field: string, before: JsonObject, added: JsonObject): JsonObject {
  const more = member(added, field)
  if (!isObject(more)) return {}
  const known = member(before, field)
  return { [field]: { ...(isObject(known) ? known : {}), ...more } }
}

/** Applies a Patcher's patch: maps are merged, null removes, lists are merged element by element. */
export function patched(stored: JsonObject, patch: JsonObject): JsonObject {
  return mergeObjects(stored, patch)
}

/** Takes a Patcher's patch back: its leaves are removed, and its list elements become null. */
export function unpatched(stored: JsonObject, patch: JsonObject): JsonObject {
  const { apiVersion, kind, metadata } = stored
  const left = mergeObjects(stored, nullified(patch) as JsonObject)
  const identity = isObject(metadata) ? identityOf(metadata) : {}
  const rest = member(left, 'metadata')
  return {
    ...left,
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    metadata: { ...(isObject(rest) ? rest : {}), ...identity },
  }
}

function identityOf(metadata: JsonObject): JsonObject {
  const { name, namespace } = metadata
  return { ...(name !== undefined && { name }), ...(namespace !== undefined && { namespace }) }
}

function nullified(value: Json): Json {
  if (isList(value)) return value.map(nullified)
  if (!isObject(value)) return null
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, nullified(item)]))
}

function mergeObjects(stored: JsonObject, patch: JsonObject): JsonObject {
  const removed = new Set<string>()
  const entries: [string, Json][] = []
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) removed.add(key)
    else entries.push([key, mergeValues(member(stored, key), value)])
  }
  const others = Object.entries(stored).filter(([key]) => !removed.has(key))
  return { ...Object.fromEntries(others), ...Object.fromEntries(entries) }
}

function mergeValues(stored: Json | undefined, patch: Json): Json {
  if (isObject(patch)) return mergeObjects(isObject(stored) ? stored : {}, patch)
  if (isList(patch)) return mergeLists(isList(stored) ? stored : [], patch)
  return patch
}

const mergeLists = (stored: JsonList, patch: JsonList): JsonList => [
  ...patch.map((item, index) => (item === null ? null : mergeValues(stored[index], item))),
  ...stored.slice(patch.length),
]
