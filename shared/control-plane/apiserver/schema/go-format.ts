import type { JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { goNumber } from '../../apimachinery/json/go-number.ts'
import { isNumber, isObject } from '../../apimachinery/json/values.ts'

/** Formats a JSON value as Go's `%+v` does, members sorted: `map[data:map[color:5] labels:<nil>]`. */
export function goFormat(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goFormat).join(' ')}]`
  if (isNumber(value)) return goNumber(value)
  if (!isObject(value)) return String(value)
  const members = Object.keys(value).sort()
  return `map[${members.map((name) => `${name}:${goFormat(value[name])}`).join(' ')}]`
}
