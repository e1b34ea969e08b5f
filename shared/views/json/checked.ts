import { isObject, type Json, type JsonObject } from './value.ts'

/** Maximum nesting, deeper than any object of an API server: recursive code uses the call stack. */
const MAX_DEPTH = 500

/**
 * Checks that a value is an object in JSON form. Members that are undefined count as missing.
 * @returns the object, or what is wrong with it
 */
export function checkedObject(value: unknown): { object: JsonObject } | { problem: string } {
  if (!isObject(value as Json | undefined)) return { problem: 'it is not a JSON object' }
  const found = new Findings()
  found.visit(value)
  if (found.problem !== undefined) return { problem: found.problem }
  return { object: (found.hasUndefined ? JSON.parse(JSON.stringify(value)) : value) as JsonObject }
}

class Findings {
  problem: string | undefined
  hasUndefined = false

  visit(value: unknown, depth = 0): void {
    if (this.problem !== undefined) return
    if (depth > MAX_DEPTH) this.problem = `it is nested more than ${MAX_DEPTH} levels deep`
    else if (typeof value === 'object' && value !== null) this.#visitMembers(value, depth)
    else if (value === undefined) this.hasUndefined = true
    else if (!isScalar(value)) this.problem = `it holds a ${typeof value}, which is not JSON`
  }

  #visitMembers(value: object, depth: number): void {
    const prototype = Object.getPrototypeOf(value)
    if (Array.isArray(value)) for (const item of value) this.visit(item, depth + 1)
    else if (prototype === Object.prototype || prototype === null) {
      for (const key of Object.keys(value)) this.visit((value as Record<string, unknown>)[key], depth + 1)
    } else this.problem = 'it holds an object that is not JSON, such as a Date'
  }
}

const isScalar = (value: unknown): boolean =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value))
