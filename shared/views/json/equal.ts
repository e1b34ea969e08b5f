import { isList, isObject, type Json, type JsonList, type JsonObject, member } from './value.ts'

/** Deep equality; the order of an object's members does not matter. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (isList(a)) return isList(b) && equalLists(a, b)
  return isObject(a) && isObject(b) && equalObjects(a, b)
}

const equalLists = (a: JsonList, b: JsonList): boolean =>
  a.length === b.length && a.every((item, index) => equal(item, b[index]))

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && equal(a[key], member(b, key)))
}
