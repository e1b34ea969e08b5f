import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isInteger, isNumber, isObject } from '../../apimachinery/json/values.ts'
import { base64Error } from './decode.ts'
import { type FieldType, pointee, type Scalar, structOf } from './table.ts'

/**
 * Returns why a JSON object cannot become the Go struct of that name, in the words of apimachinery's
 * converter of unstructured objects. That converter, and not encoding/json, reads the result of a strategic
 * merge patch. undefined if it accepts the object, and for types that read themselves.
 */
export function conversionError(value: JsonObject, structName: string): string | undefined {
  return errorIn(value, { kind: 'struct', name: structName })
}

function errorIn(value: JsonValue | undefined, declared: FieldType): string | undefined {
  if (value === null || value === undefined) return undefined
  const type = pointee(declared)
  switch (type.kind) {
    case 'scalar':
      return scalarError(value, type.scalar)
    case 'list':
      if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`
      return firstError(value.map((item) => [item, type.element]))
    case 'map':
      if (!isObject(value)) return `cannot restore map from ${goKind(value)}`
      return firstError(Object.values(value).map((item) => [item, type.element]))
    case 'struct': {
      if (!isObject(value)) return `cannot restore struct from: ${goKind(value)}`
      const fields = structOf(type.name)?.fields ?? []
      return firstError(fields.map((field) => [value[field.name], field.type]))
    }
    case 'pointer':
      return errorIn(value, type.element)
  }
}

function firstError(parts: readonly (readonly [JsonValue | undefined, FieldType])[]): string | undefined {
  for (const [value, type] of parts) {
    const error = errorIn(value, type)
    if (error !== undefined) return error
  }
  return undefined
}

/** Scalars with a Go kind of their own; the others have an UnmarshalJSON. */
const FITTING: Partial<Record<Scalar, readonly string[]>> = {
  string: ['string'],
  bool: ['bool'],
  int32: ['int64'],
  int64: ['int64'],
  float64: ['int64', 'float64'],
  bytes: ['string'],
}

function scalarError(value: JsonValue, scalar: Scalar): string | undefined {
  const kind = goKind(value)
  if (scalar === 'bytes' && typeof value === 'string') {
    const why = base64Error(value)
    return why === undefined ? undefined : `error decoding from json: ${why}`
  }
  if (FITTING[scalar]?.includes(kind) ?? true) return undefined
  if (scalar === 'bytes') return `cannot restore slice from ${kind}`
  const convertible = scalar === 'string' ? kind === 'int64' : scalar !== 'bool' && kind === 'float64'
  return convertible ? `cannot convert ${kind} to ${scalar}` : `unrecognized type: ${scalar}`
}

function goKind(value: JsonValue): string {
  if (Array.isArray(value)) return 'slice'
  if (typeof value === 'boolean') return 'bool'
  if (isNumber(value)) return isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'object' ? 'map' : typeof value
}
