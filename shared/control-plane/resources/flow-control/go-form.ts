import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isObject } from '../../apimachinery/json/values.ts'
import { type FieldType, pointee, structOf } from '../../apiserver/schema/table.ts'

/** Returns a struct as upstream's errors show it: its internal form, with all fields under their Go names. */
export function goForm(value: JsonObject, structName: string): JsonObject {
  const fields = structOf(structName)?.fields ?? []
  return Object.fromEntries(fields.map(({ name, type }) => [goName(name), goValue(value[name], type)]))
}

const goName = (name: string): string =>
  name.startsWith('api') ? `API${name.slice(3)}` : `${name[0]?.toUpperCase()}${name.slice(1)}`

function goValue(value: JsonValue | undefined, type: FieldType): JsonValue {
  const shown = pointee(type)
  if (shown.kind === 'struct' && (isObject(value) || type.kind !== 'pointer'))
    return goForm(isObject(value) ? value : {}, shown.name)
  if (shown.kind === 'list' && Array.isArray(value)) return value.map((item) => goValue(item, shown.element))
  return value ?? zeroOf(type)
}

/** Returns a type's zero value. Flow control leaves out only empty strings and flags. */
function zeroOf(type: FieldType): JsonValue {
  if (type.kind !== 'scalar') return null
  if (type.scalar === 'string') return ''
  return type.scalar === 'bool' ? false : 0
}
