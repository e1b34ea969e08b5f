import { isList, isObject, type Json, type JsonList, type JsonObject, member } from './value.ts'

/**
 * Compares two values deeply; the order of an object's members does not matter.
 * @param onPair called for every pair of values that is compared
 */
export function equal(a: Json | undefined, b: Json | undefined, onPair?: () => void): boolean {
  onPair?.()
  if (a === b) return true
  if (isList(a)) return isList(b) && equalLists(a, b, onPair)
  return isObject(a) && isObject(b) && equalObjects(a, b, onPair)
}

const equalLists = (a: JsonList, b: JsonList, onPair?: () => void): boolean =>
  a.length === b.length && a.every((item, index) => equal(item, b[index], onPair))

function equalObjects(a: JsonObject, b: JsonObject, onPair?: () => void): boolean {
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && equal(a[key], member(b, key), onPair))
}
