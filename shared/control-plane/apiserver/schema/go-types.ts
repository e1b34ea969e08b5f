import type { JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isNumber } from '../../apimachinery/json/values.ts'
import type { FieldType, Scalar } from './table.ts'

const GO_SCALARS: Record<Scalar, string> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  float64: 'float64',
  bytes: '[]uint8',
  // These read a text of their own, and its failure is what shows.
  time: 'string',
  microtime: 'string',
  intstr: 'int32',
  quantity: 'resource.Quantity',
  any: 'interface {}',
  schemaOrBool: 'v1.JSONSchemaPropsOrBool',
  schemaOrArray: 'v1.JSONSchemaPropsOrArray',
  schemaOrStrings: 'v1.JSONSchemaPropsOrStringArray',
}

/** Returns the Go type as encoding/json names it in its errors. */
export function goTypeName(type: FieldType): string {
  if ('goName' in type && type.goName !== undefined) return type.goName
  switch (type.kind) {
    case 'scalar':
      return GO_SCALARS[type.scalar]
    case 'struct':
      return `v1.${type.name.slice(type.name.indexOf('.') + 1)}`
    case 'list':
      return `[]${goTypeName(type.element)}`
    case 'map':
      return `map[string]${goTypeName(type.element)}`
    case 'pointer':
      return goTypeName(type.element)
  }
}

/** Returns the JSON value as encoding/json names it in its errors. */
export function goValueName(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  if (isNumber(value)) return 'number'
  return typeof value === 'object' ? 'object' : typeof value
}
