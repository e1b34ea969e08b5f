import { type FieldType, pointee, type Scalar } from '../../apiserver/schema/table.ts'
import { type JsonObject, type JsonValue, numberOf } from '../json/exact-numbers.ts'
import { ProtobufError } from './errors.ts'
import { createMessage, type Message, messageOfType, wireTypeOf } from './message.ts'
import { decodeScalar } from './scalars.ts'
import { type Reader, readerOf } from './wire.ts'

/** JSON schemas nest without a bound of their own; no real one comes near this. */
const MAXIMUM_DEPTH = 200

/**
 * Reads a message of a Go struct as the JSON object that encoding/json would have for it. Unknown numbers are
 * passed over. Throws ProtobufError where the bytes are cut off, of wrong wire types or too deep.
 */
export function decodeMessage(bytes: Uint8Array, message: Message, depth = 0): JsonObject {
  if (depth > MAXIMUM_DEPTH) throw new ProtobufError(`proto: messages nest more than ${MAXIMUM_DEPTH} deep`)
  const fields = new Map<string, JsonValue>()
  readInto(bytes, message, { fields, depth })
  // fromEntries makes own members of every name, `__proto__` too.
  return Object.fromEntries(fields)
}

interface Target {
  readonly fields: Map<string, JsonValue>
  readonly depth: number
}

function readInto(bytes: Uint8Array, message: Message, target: Target): void {
  const reader = readerOf(bytes)
  while (reader.pos < reader.len) {
    const tag = read(() => reader.uint32())
    const member = message.byNumber.get(tag >>> 3)
    if (member === undefined) read(() => reader.skipType(tag & 7))
    else if ('inlined' in member) readInto(lengthDelimited(reader, tag), member.inlined, target)
    else readField(reader, tag, member, target)
  }
}

function readField(
  reader: Reader,
  tag: number,
  { name, type: declared }: { name: string; type: FieldType },
  { fields, depth }: Target,
): void {
  const type = pointee(declared)
  if (type.kind === 'list') {
    const items = (fields.get(name) ?? []) as JsonValue[]
    for (const item of readItems(reader, tag, type.element, depth)) items.push(item)
    fields.set(name, items)
  } else if (type.kind === 'map') {
    const before = (fields.get(name) ?? {}) as JsonObject
    fields.set(
      name,
      Object.fromEntries([...Object.entries(before), readEntry(reader, tag, type.element, depth)]),
    )
  } else fields.set(name, readValue(reader, tag, type, depth))
}

/** Reads one item, or all of them if numbers are packed into one field. */
function readItems(reader: Reader, tag: number, type: FieldType, depth: number): JsonValue[] {
  if ((tag & 7) !== 2 || wireTypeOf(type) === 2) return [readValue(reader, tag, type, depth)]
  const packed = readerOf(lengthDelimited(reader, tag))
  const items: JsonValue[] = []
  while (packed.pos < packed.len) items.push(readValue(packed, wireTypeOf(type), type, depth))
  return items
}

function readEntry(reader: Reader, tag: number, element: FieldType, depth: number): [string, JsonValue] {
  const entry = readerOf(lengthDelimited(reader, tag))
  let key = ''
  let value: JsonValue | undefined
  while (entry.pos < entry.len) {
    const inner = read(() => entry.uint32())
    if (inner >>> 3 === 1) key = read(() => entry.string())
    else if (inner >>> 3 === 2) value = readMapValue(entry, inner, element, depth)
    else read(() => entry.skipType(inner & 7))
  }
  return [key, value ?? null]
}

/** Reads a map's value. A map holds no lists: upstream wraps them in a message of one field (ExtraValue). */
function readMapValue(reader: Reader, tag: number, type: FieldType, depth: number): JsonValue {
  if (type.kind !== 'list') return readValue(reader, tag, type, depth)
  const wrapper = createMessage([{ number: 1, name: 'items', type }])
  return decodeMessage(lengthDelimited(reader, tag), wrapper, depth + 1).items ?? []
}

function readValue(reader: Reader, tag: number, declared: FieldType, depth: number): JsonValue {
  const type = pointee(declared)
  const wireType = tag & 7
  if (wireType !== wireTypeOf(type)) {
    throw new ProtobufError(`proto: wrong wireType = ${wireType} for field ${tag >>> 3}`)
  }
  if (type.kind === 'scalar') return readScalar(reader, tag, type.scalar, depth)
  return decodeMessage(
    lengthDelimited(reader, tag),
    messageOfType(type.kind === 'struct' ? type.name : ''),
    depth + 1,
  )
}

function readScalar(reader: Reader, tag: number, scalar: Scalar, depth: number): JsonValue {
  switch (scalar) {
    case 'bool':
      return read(() => reader.bool())
    case 'int32':
    case 'int64':
      return numberOf(String(read(() => reader.int64())))
    case 'float64':
      return read(() => reader.double())
    case 'string':
      return read(() => reader.string())
    default:
      return decodeScalar(lengthDelimited(reader, tag), scalar, (bytes, message) =>
        decodeMessage(bytes, message, depth + 1),
      )
  }
}

function lengthDelimited(reader: Reader, tag: number): Uint8Array {
  if ((tag & 7) !== 2) throw new ProtobufError(`proto: wrong wireType = ${tag & 7} for field ${tag >>> 3}`)
  return read(() => reader.bytes())
}

function read<T>(step: () => T): T {
  try {
    return step()
  } catch (cause) {
    throw new ProtobufError('unexpected EOF', { cause })
  }
}
