import { type FieldType, pointee, type Scalar } from '../../apiserver/schema/table.ts'
import type { JsonObject, JsonValue } from '../json/exact-numbers.ts'
import { isObject } from '../json/values.ts'
import { type Message, messageOfType, wireTypeOf } from './message.ts'
import { WRAPPERS, wrap } from './scalars.ts'
import { newWriter, type Writer } from './wire.ts'

/**
 * Writes a JSON object as the message of its Go struct, field for field as gogo/protobuf does: by rising
 * number, fields that are no pointers with their zero value too.
 */
export function encodeMessage(object: JsonObject, message: Message): Uint8Array {
  return writeMessage(newWriter(), object, message).finish()
}

function writeMessage(writer: Writer, object: JsonObject, message: Message): Writer {
  for (const member of message.members) {
    if ('inlined' in member) {
      writeMessage(writer.uint32(tagOf(member.number, 2)).fork(), object, member.inlined).ldelim()
    } else writeField(writer, member.number, member.type, object[member.name])
  }
  return writer
}

function writeField(writer: Writer, number: number, type: FieldType, value: JsonValue | undefined): void {
  if (type.kind === 'list') writeItems(writer, number, type.element, Array.isArray(value) ? value : [])
  else if (type.kind === 'map') writeEntries(writer, number, type.element, isObject(value) ? value : {})
  else if (value !== undefined && value !== null) writeValue(writer, number, type, value)
  else if (type.kind !== 'pointer' && !isOptionalBytes(type)) writeValue(writer, number, type, zeroOf(type))
}

function writeItems(writer: Writer, number: number, element: FieldType, items: readonly JsonValue[]): void {
  for (const item of items) writeValue(writer, number, element, item)
}

/** Writes entries sorted by their keys, as Go writes maps. */
function writeEntries(writer: Writer, number: number, element: FieldType, entries: JsonObject): void {
  for (const key of Object.keys(entries).sort()) {
    writer.uint32(tagOf(number, 2)).fork().uint32(tagOf(1, 2)).string(key)
    writeMapValue(writer, element, entries[key] ?? null)
    writer.ldelim()
  }
}

/** Reports whether a type is `[]byte`. An absent one is nil, and left out. */
const isOptionalBytes = (type: FieldType): boolean => type.kind === 'scalar' && type.scalar === 'bytes'

function writeMapValue(writer: Writer, type: FieldType, value: JsonValue): void {
  if (type.kind === 'list') {
    writer.uint32(tagOf(2, 2)).fork()
    writeField(writer, 1, type, value)
    writer.ldelim()
  } else writeValue(writer, 2, type, value)
}

function writeValue(writer: Writer, number: number, declared: FieldType, value: JsonValue): void {
  const type = pointee(declared)
  writer.uint32(tagOf(number, wireTypeOf(type)))
  if (type.kind === 'scalar') writeScalar(writer, type.scalar, value)
  else {
    const message = messageOfType(type.kind === 'struct' ? type.name : '')
    writeMessage(writer.fork(), isObject(value) ? value : {}, message).ldelim()
  }
}

function writeScalar(writer: Writer, scalar: Scalar, value: JsonValue): void {
  switch (scalar) {
    case 'bool':
      writer.bool(value === true)
      break
    case 'int32':
    case 'int64':
      writer.int64(typeof value === 'bigint' ? String(value) : Number(value))
      break
    case 'float64':
      writer.double(Number(value))
      break
    case 'string':
      writer.string(String(value))
      break
    case 'bytes':
      writer.bytes(Buffer.from(String(value), 'base64'))
      break
    default:
      writeWrapped(writer, scalar, value)
  }
}

function writeWrapped(writer: Writer, scalar: keyof typeof WRAPPERS, value: JsonValue): void {
  const fields = wrap(value, scalar)
  writer.fork()
  for (const member of WRAPPERS[scalar].members) {
    if ('inlined' in member || fields[member.name] === undefined) continue
    writeField(writer, member.number, member.type, fields[member.name])
  }
  writer.ldelim()
}

function zeroOf(type: FieldType): JsonValue {
  if (type.kind !== 'scalar') return {}
  switch (type.scalar) {
    case 'string':
      return ''
    case 'bool':
      return false
    case 'quantity':
      return '0'
    case 'int32':
    case 'int64':
    case 'float64':
    case 'intstr':
      return 0
    default:
      return null
  }
}

const tagOf = (number: number, wireType: number): number => ((number << 3) | wireType) >>> 0
