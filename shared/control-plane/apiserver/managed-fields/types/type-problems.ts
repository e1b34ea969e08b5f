import { type JsonObject, type JsonValue, jsonText } from '../../../apimachinery/json/exact-numbers.ts'
import { isNumber, isObject } from '../../../apimachinery/json/values.ts'
import { elementText, memberElement } from '../fields/path-element.ts'
import { placeOf, placeProblem } from '../values/elements.ts'
import {
  definiteType,
  type ListType,
  type MapType,
  type MergeType,
  memberType,
  type ScalarType,
} from './merge-type.ts'

interface TypeOptions {
  /** Whether lists that merge by element may repeat one: those of stored objects may. Default: no. */
  readonly allowDuplicates?: boolean
}

/** Says what of an applied object does not fit, as upstream: `.spec.bogus: field not declared in schema`. */
export function typeProblems(value: JsonObject, type: MapType, options: TypeOptions = {}): string[] {
  const walk = new Problems(options)
  walk.value(value, type, '')
  return walk.found
}

/** Joins problems to one text. */
export function problemsText(problems: readonly string[]): string {
  const [only = '', ...more] = problems
  return more.length === 0 ? only : ['errors:', ...problems.map((line) => `  ${line}`)].join('\n')
}

class Problems {
  readonly found: string[] = []
  readonly #options: TypeOptions

  constructor(options: TypeOptions) {
    this.#options = options
  }

  value(value: JsonValue, declared: MergeType, path: string): void {
    if (value === null) return
    const type = definiteType(declared, value)
    if (type.kind === 'scalar') this.#scalar(value, type, path)
    else if (type.kind === 'list') this.#list(value, type, path)
    else this.#map(value, type, path)
  }

  #add(path: string, message: string): void {
    this.found.push(path === '' ? message : `${path}: ${message}`)
  }

  #map(value: JsonValue, type: MapType, path: string): void {
    if (isObject(value)) this.#members(value, type, path)
    else this.#add(path, `expected map, got &{${goText(value)}}`)
  }

  /** Stops at the first member that is not declared, as the real server does. */
  #members(value: JsonObject, type: MapType, path: string): void {
    for (const [name, item] of Object.entries(value)) {
      const at = path + elementText(memberElement(name))
      const itemType = memberType(type, name)
      if (!itemType) {
        this.#add(at, 'field not declared in schema')
        break
      }
      if (item !== undefined) this.value(item, itemType, at)
    }
  }

  #list(value: JsonValue, type: ListType, path: string): void {
    if (Array.isArray(value)) this.#elements(value, type, path)
    else this.#add(path, `expected list, got &{${goText(value)}}`)
  }

  #elements(items: readonly JsonValue[], type: ListType, path: string): void {
    const seen = new Set<string>()
    for (const [index, item] of items.entries()) {
      const at = type.relation === 'atomic' ? `i:${index}` : placeOf(item, type)
      if (at === undefined) {
        this.#add(path, `element ${index}: ${placeProblem(item, type) ?? ''}`)
        break
      }
      if (seen.has(at) && !this.#options.allowDuplicates)
        this.#add(path, `duplicate entries for key ${elementText(at)}`)
      seen.add(at)
      this.value(item, type.element, path + elementText(at))
    }
  }

  #scalar(value: JsonValue, { scalar }: ScalarType, path: string): void {
    const ok = scalar === 'untyped' ? typeof value !== 'object' : jsonTypeOf(value) === scalar
    if (!ok) this.#add(path, MISMATCH[scalar](value))
  }
}

const MISMATCH: Record<ScalarType['scalar'], (value: JsonValue) => string> = {
  string: (value) => `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`,
  number: (value) => `expected numeric (int or float), got ${goType(value)}`,
  boolean: (value) => `expected boolean, got &{${goText(value)}}`,
  untyped: (value) => `expected any scalar, got &{${goText(value)}}`,
}

function goType(value: JsonValue): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (isObject(value)) return 'map[string]interface {}'
  return typeof value === 'boolean' ? 'bool' : jsonTypeOf(value)
}

const jsonTypeOf = (value: JsonValue): string => (isNumber(value) ? 'number' : typeof value)

/** Formats the value as Go's `%#v` does. */
function goSyntax(value: JsonValue): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (!isObject(value)) return value === null ? 'interface {}(nil)' : jsonText(value)
  const members = sortedEntries(value).map(([name, item]) => `${JSON.stringify(name)}:${goSyntax(item)}`)
  return `map[string]interface {}{${members.join(', ')}}`
}

/** Formats the value as Go's `%v` does. */
function goText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (!isObject(value)) return value === null ? '<nil>' : String(value)
  const members = sortedEntries(value).map(([name, item]) => `${name}:${goText(item)}`)
  return `map[${members.join(' ')}]`
}

function sortedEntries(value: JsonObject): [string, JsonValue][] {
  return Object.keys(value)
    .sort()
    .map((name) => [name, value[name] ?? null])
}
