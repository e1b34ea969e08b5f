import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../apimachinery/json/values.ts'

/**
 * A simple JSON path as printer columns and selectable fields have them: `.a.b`, `.a['b.c']`, `.a[0]`,
 * `.a[*].b`, and `.a[?(@.type=="Ready")].status`. Undefined for a path of another form.
 */
interface JsonPath {
  /** Returns the first value to which the path leads. */
  first(object: JsonObject): JsonValue | undefined
}

type Walk = (values: readonly JsonValue[]) => JsonValue[]

const STEP =
  /\.([^.[\]]+)|\[(-?\d+)\]|\[\*\]|\['((?:[^'\\]|\\.)*)'\]|\[\?\(@\.([\w.-]+)\s*==\s*(?:"([^"]*)"|'([^']*)')\)\]/gy

export function parseJsonPath(path: string): JsonPath | undefined {
  const walks: Walk[] = []
  let length = 0
  for (const match of path.matchAll(STEP)) {
    walks.push(walkOf(match))
    length += match[0].length
  }
  if (length !== path.length && path !== '.') return undefined
  return { first: (object) => walks.reduce<JsonValue[]>((values, walk) => walk(values), [object])[0] }
}

function walkOf(match: RegExpExecArray): Walk {
  const [, name, index, quoted, field, double, single] = match
  if (index !== undefined) {
    return (values) => values.flatMap((value) => (Array.isArray(value) ? at(value, Number(index)) : []))
  }
  if (field !== undefined) {
    const wanted = double ?? single ?? ''
    const path = field.split('.')
    return (values) => items(values).filter((item) => String(within(item, path)) === wanted)
  }
  const member = name ?? quoted
  if (member === undefined) return items
  return (values) => values.flatMap((value) => own(value, unescaped(member)))
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, '$1')

function items(values: readonly JsonValue[]): JsonValue[] {
  return values.flatMap((value) => {
    if (Array.isArray(value)) return value
    return isObject(value) ? Object.values(value).map((item) => item ?? null) : []
  })
}

function at(list: readonly JsonValue[], index: number): JsonValue[] {
  const item = list.at(index)
  return item === undefined ? [] : [item]
}

function own(value: JsonValue, name: string): JsonValue[] {
  if (!isObject(value) || !Object.hasOwn(value, name)) return []
  const member = value[name]
  return member === undefined ? [] : [member]
}

function within(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue[]>((values, name) => values.flatMap((item) => own(item, name)), [value])[0]
}
