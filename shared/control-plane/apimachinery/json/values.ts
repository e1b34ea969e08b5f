import { type JsonObject, type JsonValue, jsonText } from './exact-numbers.ts'

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the object's own member of a user's name: there is no `constructor` unless it was sent. */
export function ownMember<Value>(parent: Readonly<Record<string, Value>>, member: string): Value | undefined {
  return Object.hasOwn(parent, member) ? parent[member] : undefined
}

/** Sets a member of a user's name: assigning `__proto__` would replace the object's prototype. */
export function setMember(parent: JsonObject, member: string, value: JsonValue): void {
  if (member !== '__proto__') parent[member] = value
  else Object.defineProperty(parent, member, { value, writable: true, enumerable: true, configurable: true })
}

/** Returns the member as an object, or an empty one if it is absent or of another type. */
export function objectAt(parent: JsonObject | undefined, member: string): JsonObject {
  const value = parent?.[member]
  return isObject(value) ? value : {}
}

export function listAt(parent: JsonObject | undefined, member: string): JsonValue[] {
  const value = parent?.[member]
  return Array.isArray(value) ? value : []
}

/** Returns the items of a list that are objects. */
export function objectsAt(parent: JsonObject | undefined, member: string): JsonObject[] {
  return listAt(parent, member).filter(isObject)
}

/** Returns the strings of a list. */
export function stringsAt(parent: JsonObject | undefined, member: string): string[] {
  return listAt(parent, member).filter((item) => typeof item === 'string')
}

/** Returns the member as a string, or `''` if it is absent or of another type. */
export function stringAt(parent: JsonObject | undefined, member: string): string {
  const value = parent?.[member]
  return typeof value === 'string' ? value : ''
}

/** Returns the member as a number, the nearest to a bigint: to count or compare, not to write again. */
export function numberAt(parent: JsonObject | undefined, member: string): number | undefined {
  const value = parent?.[member]
  return isNumber(value) ? Number(value) : undefined
}

/** Returns the member, exactly, if it is an integer. */
export function integerAt(parent: JsonObject | undefined, member: string): number | bigint | undefined {
  const value = parent?.[member]
  return isInteger(value) ? value : undefined
}

export const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'

/** Reports whether a value is an int64 in Go: an exact number without fraction. Larger ones are float64. */
export const isInteger = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || Number.isSafeInteger(value)

/**
 * Compares JSON values. Members that are undefined count as absent, and the order of members does not matter.
 * A number equals a bigint of the same size.
 */
export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true
  if (isNumber(a) && isNumber(b)) return a >= b && a <= b
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  for (const member of Object.keys(a)) if (!sameJson(a[member], ownMember(b, member))) return false
  return Object.keys(b).every((member) => b[member] === undefined || ownMember(a, member) !== undefined)
}

/** Returns the value with the members of all its objects sorted by name, as Go writes maps. */
export function sortedMembers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortedMembers)
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([name, item]): [string, JsonValue][] =>
    item === undefined ? [] : [[name, sortedMembers(item)]],
  )
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns a text that is equal for equal values (`sameJson`), to search long lists by. */
export function identityOf(value: JsonValue | undefined): string {
  return jsonText(isObject(value) || Array.isArray(value) ? sortedMembers(value) : (value ?? null))
}
