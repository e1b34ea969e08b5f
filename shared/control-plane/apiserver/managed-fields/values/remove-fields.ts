import { isObject, type JsonObject, type JsonValue } from '../../../apimachinery/json/index.ts'
import { type FieldSet, isEmptySet } from '../fields/field-set.ts'
import { memberElement } from '../fields/path-element.ts'
import { definiteType, type ListType, type MapType, type MergeType, memberType } from '../types/merge-type.ts'
import { placeOf } from './elements.ts'

/**
 * Returns the value without the fields of a set. A value that loses all its fields, but is not in the set
 * itself, stays as null, as upstream's does.
 */
export function removeFields(value: JsonValue, gone: FieldSet, declared: MergeType): JsonValue {
  const type = definiteType(declared, value)
  if (type.kind === 'scalar') return value
  if (type.kind === 'list') return Array.isArray(value) ? fromList(value, gone, type) : value
  return isObject(value) ? fromMap(value, gone, type) : value
}

function fromList(value: readonly JsonValue[], gone: FieldSet, type: ListType): JsonValue[] | null {
  if (type.relation === 'atomic') return null
  const kept = value.flatMap((item) => {
    const at = gone.children.get(placeOf(item, type) ?? '')
    if (at?.member) return []
    return at && !isEmptySet(at) ? [removeFields(item, at, type.element)] : [item]
  })
  return kept.length > 0 ? kept : null
}

function fromMap(value: JsonObject, gone: FieldSet, type: MapType): JsonObject | null {
  if (type.atomic) return null
  const out: [string, JsonValue][] = []
  for (const [name, item] of Object.entries(value)) {
    const at = gone.children.get(memberElement(name))
    if (item === undefined || at?.member) continue
    const itemType = memberType(type, name)
    out.push([name, at && itemType && !isEmptySet(at) ? removeFields(item, at, itemType) : item])
  }
  return out.length > 0 ? Object.fromEntries(out) : null
}
