import { isList, isObject, type Json, type JsonList, type JsonObject, member } from './value.ts'

/**
 * Compares two values deeply; the order of an object's members does not matter.
 * @param look is called for every pair of values that is compared
 */
export function equal(a: Json | undefined, b: Json | undefined, sync?: () => void): boolean {
  sync?.()
  if (a === b) return true
  if (isList(a)) return isList(b) && equalLists(a, b, sync)
  return isObject(a) && isObject(b) && equalObjects(a, b, sync)
}

const equalLists = (a: JsonList, b: JsonList, sync?: () => void): boolean =>
  a.length === b.length && a.every((item, index) => equal(item, b[index], sync))

function equalObjects(a: JsonObject, b: JsonObject, sync?: () => void): boolean {
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && equal(a[key], member(b, key), sync))
}
