import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../apimachinery/json/values.ts'
import { type FieldType, pointee, structOf } from './table.ts'

/** Returns paths of fields that the struct lacks, such as `spec.ports[0].bogus`, depth first, in order. */
export function unknownFields(value: JsonValue, structName: string): string[] {
  const found: string[] = []
  collect(value, { kind: 'struct', name: structName }, '', found)
  return found
}

function collect(value: JsonValue | undefined, declared: FieldType, path: string, found: string[]): void {
  const type = pointee(declared)
  if (type.kind === 'list' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect(item, type.element, `${path}[${index}]`, found)
  } else if (type.kind === 'map' && isObject(value)) {
    for (const [key, item] of Object.entries(value)) collect(item, type.element, `${path}.${key}`, found)
  } else if (type.kind === 'struct' && isObject(value)) collectMembers(value, type.name, path, found)
}

function collectMembers(value: JsonObject, structName: string, path: string, found: string[]): void {
  const struct = structOf(structName)
  if (!struct) return
  for (const [key, item] of Object.entries(value)) {
    const field = struct.byName.get(key)
    const at = path ? `${path}.${key}` : key
    if (field) collect(item, field.type, at, found)
    else found.push(at)
  }
}
