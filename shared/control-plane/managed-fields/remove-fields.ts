import { isObject, type JsonObject, type JsonValue } from '../json.ts'
import { placeOf } from './elements.ts'
import { type FieldSet, isEmptySet } from './field-set.ts'
import { definiteType, type ListType, type MapType, type MergeType, memberType } from './merge-type.ts'
import { memberElement } from './path-element.ts'

/** The value without the fields of a set; undefined where nothing is left of it. */
export function removeFields(value: JsonValue, gone: FieldSet, declared: MergeType): JsonValue | undefined {
  const type = definiteType(declared, value)
  if (type.kind === 'scalar') return value
  if (type.kind === 'list') return Array.isArray(value) ? fromList(value, gone, type) : undefined
  return isObject(value) ? fromMap(value, gone, type) : undefined
}

function fromList(value: readonly JsonValue[], gone: FieldSet, type: ListType): JsonValue[] | undefined {
  if (type.relation === 'atomic') return undefined
  const out = value.flatMap((item) => {
    const at = gone.children.get(placeOf(item, type) ?? '')
    if (at?.member) return []
    const left = at && !isEmptySet(at) ? removeFields(item, at, type.element) : item
    return left === undefined ? [] : [left]
  })
  return out.length > 0 ? out : undefined
}

function fromMap(value: JsonObject, gone: FieldSet, type: MapType): JsonObject | undefined {
  if (type.atomic) return undefined
  const out: [string, JsonValue][] = []
  for (const [name, item] of Object.entries(value)) {
    const at = gone.children.get(memberElement(name))
    if (item === undefined || at?.member) continue
    const itemType = memberType(type, name)
    const left = at && itemType && !isEmptySet(at) ? removeFields(item, at, itemType) : item
    if (left !== undefined) out.push([name, left])
  }
  return out.length > 0 ? Object.fromEntries(out) : undefined
}
