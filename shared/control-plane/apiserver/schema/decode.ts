import { quoted } from '../../../kubernetes/index.ts'
import type { JsonObject, JsonValue } from '../../apimachinery/json/exact-numbers.ts'
import { isInteger, isNumber, isObject, setMember } from '../../apimachinery/json/values.ts'
import { Quantity } from '../../apimachinery/quantity/quantity.ts'
import { QuantityError } from '../../apimachinery/quantity/read.ts'
import { goTypeName, goValueName } from './go-types.ts'
import { type Field, type FieldType, pointee, type Scalar, type Struct, structOf } from './table.ts'

/** A value does not have the type that its field declares. The message is encoding/json's own. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
}

type ScalarType = Extract<FieldType, { kind: 'scalar' }>

/** Where a value stands. Its path is made for errors alone: most fields of most objects have none. */
interface Position {
  readonly struct: Struct
  readonly field: Field
  /** Undefined at the top, and where paths begin again. */
  readonly parent: Position | undefined
  readonly emptyLists: EmptyLists
}

/** How `[]` is treated in a field that is never left out: stored as sent, or `null` as in storage. */
type EmptyLists = 'keep' | 'null'

/**
 * Reads a JSON object as the Go struct of that name and writes it back as encoding/json does: known fields
 * only, in declaration order, empty ones left out or null as their tags say. Throws DecodeError where a value
 * has the wrong type.
 */
export function canonical(
  value: JsonObject,
  structName: string,
  emptyLists: EmptyLists = 'null',
): JsonObject {
  const struct = structOf(structName)
  return struct ? decodeStruct(value, struct, emptyLists) : value
}

function decodeStruct(
  value: JsonObject,
  struct: Struct,
  emptyLists: EmptyLists,
  parent?: Position,
): JsonObject {
  const out: JsonObject = {}
  for (const field of struct.fields) {
    const member = value[field.name]
    const decoded =
      member === undefined || member === null
        ? emptyField(field)
        : decodeField(member, { struct, field, parent, emptyLists })
    if (decoded !== undefined) out[field.name] = decoded
  }
  return out
}

function decodeField(value: JsonValue, at: Position): JsonValue | undefined {
  const { field } = at
  const decoded = decodeValue(value, field.type, at)
  if (Array.isArray(decoded) && decoded.length === 0 && !field.omitEmpty && at.emptyLists === 'keep')
    return decoded
  return isDropped(decoded, field) ? emptyField(field) : decoded
}

function isDropped(value: JsonValue, field: Field): boolean {
  // An empty list that stands where any value may, as the default of a schema, is a value.
  if (Array.isArray(value)) return value.length === 0 && pointee(field.type).kind !== 'scalar'
  if (field.type.kind === 'map') return isObject(value) && Object.keys(value).length === 0
  return field.omitEmpty && field.type.kind === 'scalar' && isZeroScalar(value, field.type.scalar)
}

function isZeroScalar(value: JsonValue, scalar: Scalar): boolean {
  if (scalar === 'intstr' || scalar === 'quantity' || scalar === 'any') return false
  if (scalar.startsWith('schemaOr')) return false
  return value === '' || value === 0 || value === false
}

function emptyField(field: Field): JsonValue | undefined {
  const { type, omitEmpty, omitZero } = field
  if (type.kind === 'struct') {
    const struct = structOf(type.name)
    return omitZero ? undefined : struct && decodeStruct({}, struct, 'null')
  }
  if (type.kind === 'scalar' && (type.scalar === 'time' || type.scalar === 'microtime')) {
    return omitZero ? undefined : null
  }
  if (type.kind === 'scalar' && type.scalar === 'intstr') return 0
  if (type.kind === 'scalar' && type.scalar === 'quantity') return '0'
  if (omitEmpty) return undefined
  return type.kind === 'scalar' ? zeroOf(type.scalar) : null
}

function zeroOf(scalar: Scalar): JsonValue {
  if (scalar === 'string') return ''
  if (scalar === 'bool') return false
  return ['int32', 'int64', 'float64', 'intstr', 'quantity'].includes(scalar) ? 0 : null
}

function decodeValue(value: JsonValue, declared: FieldType, at: Position): JsonValue {
  const type = pointee(declared)
  if (type.kind === 'scalar') return decodeScalar(value, type, at)
  if (type.kind === 'list') {
    if (!Array.isArray(value)) return mismatch(value, type, at)
    return value.map((item) =>
      item === null ? emptyItem(type.element) : decodeValue(item, type.element, at),
    )
  }
  if (!isObject(value)) return mismatch(value, type, at)
  if (type.kind === 'map') return decodeMap(value, type.element, at)
  const struct = structOf(type.kind === 'struct' ? type.name : '')
  return struct ? decodeStruct(value, struct, at.emptyLists, at) : value
}

function emptyItem(type: FieldType): JsonValue {
  if (type.kind === 'struct') {
    const struct = structOf(type.name)
    return struct ? decodeStruct({}, struct, 'null') : {}
  }
  return type.kind === 'scalar' ? zeroOf(type.scalar) : null
}

/** Decodes a map. Go writes maps with their keys sorted. */
function decodeMap(value: JsonObject, element: FieldType, at: Position): JsonObject {
  const out: JsonObject = {}
  for (const key of Object.keys(value).sort()) {
    const item = value[key] ?? null
    setMember(out, key, item === null ? emptyItem(element) : decodeValue(item, element, at))
  }
  return out
}

function decodeScalar(value: JsonValue, type: ScalarType, at: Position): JsonValue {
  const { scalar } = type
  if (!SCALAR_CHECKS[scalar](value)) return mismatch(value, type, at)
  if (scalar.startsWith('schemaOr')) return decodeSchemas(value, at)
  if (scalar === 'quantity') return decodeQuantity(String(value))
  return scalar === 'float64' ? Number(value) : value
}

/** Decodes schemas among values of other types. Go reads them by themselves, so that paths begin again. */
function decodeSchemas(value: JsonValue, { emptyLists }: Position): JsonValue {
  const struct = structOf('apiextensions.JSONSchemaProps')
  const decode = (item: JsonValue): JsonValue =>
    isObject(item) && struct ? decodeStruct(item, struct, emptyLists) : item
  return Array.isArray(value) ? value.map(decode) : decode(value)
}

function decodeQuantity(text: string): string {
  try {
    return Quantity.canonical(text.trim())
  } catch (error) {
    throw error instanceof QuantityError ? new DecodeError(error.message, { cause: error }) : error
  }
}

const isString = (value: JsonValue): boolean => typeof value === 'string'
const isInt32 = (value: JsonValue): boolean => typeof value === 'number' && (value | 0) === value
const SCALAR_CHECKS: Record<Scalar, (value: JsonValue) => boolean> = {
  string: isString,
  bool: (value) => typeof value === 'boolean',
  int32: isInt32,
  int64: isInteger,
  float64: isNumber,
  bytes: (value) => typeof value === 'string' && isBase64(value),
  time: (value) =>
    typeof value === 'string' &&
    isTime(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/, 'Z07:00'),
  microtime: (value) =>
    typeof value === 'string' &&
    isTime(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\d*(Z|[+-]\d\d:\d\d)$/, '.000000Z07:00'),
  quantity: (value) => isString(value) || isNumber(value),
  intstr: (value) => isString(value) || isInt32(value),
  any: () => true,
  schemaOrBool: (value) => typeof value === 'boolean' || isObject(value),
  schemaOrArray: (value) => typeof value === 'object',
  schemaOrStrings: (value) => typeof value === 'object',
}

function isBase64(value: string): boolean {
  const error = base64Error(value)
  if (error !== undefined) throw new DecodeError(error)
  return true
}

/** Returns why a text is not base64; undefined if it is. */
export function base64Error(value: string): string | undefined {
  const bad = value.replaceAll(/[\r\n]/g, '').search(/[^A-Za-z0-9+/=]/)
  if (bad >= 0) return `illegal base64 data at input byte ${bad}`
  return value.length % 4 === 0 ? undefined : `illegal base64 data at input byte ${value.length}`
}

const TIME_PARTS = ['2006', '-', '01', '-', '02', 'T', '15', ':', '04', ':', '05']

function isTime(value: string, pattern: RegExp, suffix: string): boolean {
  if (pattern.test(value)) return true
  const layout = `2006-01-02T15:04:05${suffix}`
  const { missing, rest } = whereNoTime(value, suffix)
  throw new DecodeError(
    `parsing time ${quoted(value)} as ${quoted(layout)}: cannot parse ${quoted(rest)} as "${missing}"`,
  )
}

/** Finds the part of the layout at which Go's time.Parse stops, and the rest of the text at that point. */
function whereNoTime(value: string, suffix: string): { missing: string; rest: string } {
  let rest = value
  for (const part of TIME_PARTS) {
    const isNumber = /\d/.test(part)
    const fits = isNumber
      ? /^\d*$/.test(rest.slice(0, part.length)) && rest.length >= part.length
      : rest.startsWith(part)
    if (!fits) return { missing: part, rest }
    rest = rest.slice(part.length)
  }
  return { missing: suffix.replace(/Z07:00$/, '') || 'Z07:00', rest }
}

/** Writes all digits of a number that does not fit into 64 bits, as it may have been written. */
const digitsOf = (value: number | bigint): string => String(Number.isInteger(value) ? BigInt(value) : value)

function mismatch(value: JsonValue, type: FieldType, at: Position): never {
  const integer = isNumber(value) && type.kind === 'scalar' && /^int/.test(type.scalar)
  const shown = integer ? `number ${digitsOf(value)}` : goValueName(value)
  // An integer or text takes each number for an integer, and fails as one.
  const wanted = integer && type.scalar === 'intstr' ? 'int32' : goTypeName(type)
  const { name } = at.struct
  const field = `${name.slice(name.indexOf('.') + 1)}.${pathOf(at)}`
  throw new DecodeError(`json: cannot unmarshal ${shown} into Go struct field ${field} of type ${wanted}`)
}

const pathOf = ({ parent, field: { inlined, name } }: Position): string =>
  [parent && pathOf(parent), inlined, name].filter(Boolean).join('.')
