/** Any JSON value. Values are never changed once made: results share parts with what they were made from. */
export type Json = null | boolean | number | string | JsonList | JsonObject
export type JsonList = readonly Json[]
export interface JsonObject {
  readonly [key: string]: Json
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isList = (value: Json | undefined): value is JsonList => Array.isArray(value)

/** Returns an own member of the object: `__proto__` and `constructor` are keys like any other. */
export const member = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined

/** Sets a member of an object under construction, also one named `__proto__`. */
export function define(object: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  } else object[key] = value
}
