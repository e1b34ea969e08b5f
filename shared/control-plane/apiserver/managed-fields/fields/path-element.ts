import {
  type JsonObject,
  type JsonValue,
  jsonText,
  parseJson,
} from '../../../apimachinery/json/exact-numbers.ts'
import { isNumber, isObject } from '../../../apimachinery/json/values.ts'

/** Returns the path element of a member of an object. */
export const memberElement = (name: string): string => `f:${name}`

/** Returns the path element of a value of a set. */
export const valueElement = (value: JsonValue): string => `v:${jsonText(value)}`

/** Returns the path element of a list's element by its keys, sorted by their names. */
export function keyElement(keys: JsonObject): string {
  const sorted = Object.keys(keys).sort()
  return `k:${jsonText(Object.fromEntries(sorted.map((key) => [key, keys[key]])))}`
}

/** Returns the element as the server itself writes it; undefined if the text is malformed. */
export function readElement(text: string): string | undefined {
  if (text.startsWith('f:')) return text
  if (/^i:\d+$/.test(text)) return text
  const value = jsonOf(text.slice(2))
  if (value === undefined) return undefined
  if (text.startsWith('v:')) return valueElement(value)
  return text.startsWith('k:') && isObject(value) ? keyElement(value) : undefined
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Formats a path for people: `.spec.ports[port=80,protocol="TCP"].name`, `.metadata.finalizers[="a/b"]`. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join('')
}

export function elementText(element: string): string {
  const text = element.slice(2)
  if (element.startsWith('f:')) return `.${text}`
  if (element.startsWith('v:')) return `[=${text}]`
  const keys = jsonOf(text)
  if (!isObject(keys)) return `[${text}]`
  const parts = Object.entries(keys).map(([key, value]) => `${key}=${jsonText(value)}`)
  return `[${parts.join(',')}]`
}

/** Compares elements: members, elements by key, values, indexes; numbers by size and before words. */
export function compareElements(a: string, b: string): number {
  const kinds = KINDS.indexOf(a[0] ?? '') - KINDS.indexOf(b[0] ?? '')
  if (kinds !== 0) return kinds
  const [left, right] = [a.slice(2), b.slice(2)]
  if (a.startsWith('f:')) return compareTexts(left, right)
  return compareValues(jsonOf(left) ?? null, jsonOf(right) ?? null)
}

const KINDS = 'fkvi'
const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

function compareValues(a: JsonValue, b: JsonValue): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : Number(a > b)
  if (isObject(a) && isObject(b)) return compareKeys(Object.entries(a), Object.entries(b))
  const ranks = rank(a) - rank(b)
  return ranks === 0 ? compareTexts(String(a), String(b)) : ranks
}

function compareKeys(a: [string, JsonValue | undefined][], b: [string, JsonValue | undefined][]): number {
  for (const [index, [name, value]] of a.entries()) {
    const other = b[index]
    if (!other) return 1
    const order = compareTexts(name, other[0]) || compareValues(value ?? null, other[1] ?? null)
    if (order !== 0) return order
  }
  return a.length - b.length
}

function rank(value: JsonValue): number {
  const order = ['number', 'string', 'boolean', 'object']
  return order.indexOf(isNumber(value) ? 'number' : typeof value)
}
