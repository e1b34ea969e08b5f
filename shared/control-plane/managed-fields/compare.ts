import { isObject, type JsonObject, type JsonValue, sameJson } from '../json.ts'
import { type Field, type FieldType, pointee, structOf } from '../schema/index.ts'
import { emptySet, type FieldSet, insertField } from './field-set.ts'

/** What differs between two states of an object. */
export interface Comparison {
  /** Fields that are new or have another value. */
  readonly changed: FieldSet
  readonly removed: FieldSet
}

type Value = JsonValue | undefined
type Pair = readonly [before: Value, after: Value]

/** Compares two objects of a Go struct by the merge rules of its fields (structured-merge-diff). */
export function compareObjects(before: JsonObject, after: JsonObject, structName: string): Comparison {
  const walk = new Walk()
  walk.struct([before, after], structName, [])
  return walk
}

class Walk implements Comparison {
  readonly changed = emptySet()
  readonly removed = emptySet()

  struct([before, after]: Pair, structName: string, path: readonly string[]): void {
    const struct = structOf(structName)
    for (const name of keysOf(before, after)) {
      const field = struct?.byName.get(name)
      if (field) this.#field(pairAt(before, after, name), field, [...path, `f:${name}`])
    }
  }

  #field(pair: Pair, field: Field, path: readonly string[]): void {
    if (pair[0] === undefined && pair[1] === undefined) return
    const type = pointee(field.type)
    const granular = !field.atomic && isGranular(type, field) && !pair.every(isEmpty)
    if (!granular) this.#leaf(pair, path)
    else {
      if (type.kind === 'list') this.#list(pair, field, path)
      else this.#children(pair, type, path)
      this.#existence(pair, path)
    }
  }

  #children(pair: Pair, type: FieldType, path: readonly string[]): void {
    if (type.kind === 'struct') this.struct(pair, type.name, path)
    else if (type.kind === 'map') {
      for (const key of keysOf(...pair))
        this.#element(pairAt(...pair, key), type.element, [...path, `f:${key}`])
    }
  }

  #list(pair: Pair, field: Field, path: readonly string[]): void {
    const [before, after] = pair.map((value) => elements(value, field))
    for (const key of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])) {
      const type = pointee(field.type)
      const element = type.kind === 'list' ? type.element : type
      this.#element([before?.get(key), after?.get(key)], element, [...path, key])
    }
  }

  /** A value that has no field of its own: of a map, or of a list by key. */
  #element(pair: Pair, declared: FieldType, path: readonly string[]): void {
    const type = pointee(declared)
    const atomic = type.kind === 'struct' && structOf(type.name)?.atomic
    if (type.kind === 'scalar' || type.kind === 'list' || atomic || pair.every(isEmpty)) {
      this.#leaf(pair, path)
    } else {
      this.#children(pair, type, path)
      this.#existence(pair, path)
    }
  }

  #leaf([before, after]: Pair, path: readonly string[]): void {
    if (after === undefined) insertField(this.removed, path)
    else if (before === undefined || !sameJson(before, after)) insertField(this.changed, path)
  }

  #existence([before, after]: Pair, path: readonly string[]): void {
    if (before === undefined && after !== undefined) insertField(this.changed, path)
    if (after === undefined && before !== undefined) insertField(this.removed, path)
  }
}

function isGranular(type: FieldType, field: Field): boolean {
  if (type.kind === 'struct') return structOf(type.name)?.atomic === false
  if (type.kind === 'list') return field.list === 'map' || field.list === 'set'
  return type.kind === 'map'
}

function isEmpty(value: Value): boolean {
  if (value === undefined || value === null) return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

function keysOf(before: Value, after: Value): Set<string> {
  return new Set([before, after].flatMap((value) => (isObject(value) ? Object.keys(value) : [])))
}

function pairAt(before: Value, after: Value, name: string): Pair {
  return [isObject(before) ? before[name] : undefined, isObject(after) ? after[name] : undefined]
}

/** Elements of a list by their path elements. */
function elements(value: Value, field: Field): Map<string, JsonValue> {
  const items = Array.isArray(value) ? value : []
  return new Map(
    items.map((item) => [field.list === 'set' ? `v:${JSON.stringify(item)}` : keyOf(item, field), item]),
  )
}

function keyOf(item: JsonValue, field: Field): string {
  const type = pointee(field.type)
  const element = type.kind === 'list' ? pointee(type.element) : type
  const struct = element.kind === 'struct' ? structOf(element.name) : undefined
  const keys = [...field.keys].sort().map((key) => {
    const value = isObject(item) ? item[key] : undefined
    return [key, value ?? struct?.byName.get(key)?.default ?? null]
  })
  return `k:${JSON.stringify(Object.fromEntries(keys))}`
}
