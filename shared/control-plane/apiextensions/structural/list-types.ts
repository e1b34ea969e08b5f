import { duplicate, type FieldError, invalidValue } from '../../apimachinery/errors/field.ts'
import { type JsonValue, jsonText } from '../../apimachinery/json/exact-numbers.ts'
import { isObject, ownMember } from '../../apimachinery/json/values.ts'
import type { Schema } from './schema.ts'

/** Items that stand twice in lists of the types set and map. */
export function listTypeErrors(value: JsonValue, schema: Schema, path = ''): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema
    const own = ownErrors(value, schema, path)
    return items
      ? [...own, ...value.flatMap((item, index) => listTypeErrors(item, items, `${path}[${index}]`))]
      : own
  }
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) => {
    const declared = schema.properties.get(name)
    if (declared) return listTypeErrors(item ?? null, declared, path === '' ? name : `${path}.${name}`)
    const { additional } = schema
    return additional === undefined || additional === 'any'
      ? []
      : listTypeErrors(item ?? null, additional, `${path}[${name}]`)
  })
}

function ownErrors(list: readonly JsonValue[], { listType, listKeys }: Schema, path: string): FieldError[] {
  if (listType === 'atomic') return []
  if (listType === 'set') return duplicates(list, path)
  const wrong = list.findIndex((item) => item !== null && !isObject(item))
  if (wrong >= 0)
    return [
      invalidValue(
        `${path}[${wrong}]`,
        list[wrong] ?? null,
        'must be an object for an array of list-type map',
      ),
    ]
  return duplicates(
    list.map((item) =>
      Object.fromEntries(
        listKeys.flatMap((key) =>
          isObject(item) && ownMember(item, key) !== undefined ? [[key, item[key]]] : [],
        ),
      ),
    ),
    path,
  )
}

/** Reports each repeated value once, at its second place. */
function duplicates(list: readonly JsonValue[], path: string): FieldError[] {
  const seen = new Map<string, number>()
  return list.flatMap((item, index) => {
    const text = jsonText(item)
    const times = (seen.get(text) ?? 0) + 1
    seen.set(text, times)
    return times === 2 ? [duplicate(`${path}[${index}]`, item)] : []
  })
}
