import type { JsonValue } from '../apimachinery/json/exact-numbers.ts'
import { isInteger, isNumber } from '../apimachinery/json/values.ts'

/** Formats the type of a value as Go does for one that it read from JSON. */
export function goTypeOf(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'object') return 'map[string]interface {}'
  if (isNumber(value)) return isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : 'string'
}
