import type { FieldType, Scalar } from '../../apiserver/schema/table.ts'
import { type JsonObject, type JsonValue, jsonText, parseJson } from '../json/exact-numbers.ts'
import { ProtobufError } from './errors.ts'
import { createMessage, type Message } from './message.ts'

/** The scalars of JSON that are bytes or small messages in protobuf. */
type Wrapped = Exclude<Scalar, 'bool' | 'int32' | 'int64' | 'float64' | 'string'>

const scalar = (name: Scalar): FieldType => ({ kind: 'scalar', scalar: name })
const SCHEMA: FieldType = { kind: 'struct', name: 'apiextensions.JSONSchemaProps' }

function messageWith(types: Readonly<Record<string, FieldType>>): Message {
  return createMessage(
    Object.entries(types).map(([name, type], index) => ({ number: index + 1, name, type })),
  )
}

/** Their messages, as generated.proto of apimachinery and apiextensions-apiserver have them. */
export const WRAPPERS: Readonly<Record<Exclude<Wrapped, 'bytes'>, Message>> = {
  time: messageWith({ seconds: scalar('int64'), nanos: scalar('int32') }),
  microtime: messageWith({ seconds: scalar('int64'), nanos: scalar('int32') }),
  quantity: messageWith({ string: scalar('string') }),
  intstr: messageWith({ type: scalar('int64'), intVal: scalar('int32'), strVal: scalar('string') }),
  any: messageWith({ raw: scalar('bytes') }),
  schemaOrBool: messageWith({ allows: scalar('bool'), schema: SCHEMA }),
  schemaOrArray: messageWith({ schema: SCHEMA, list: { kind: 'list', element: SCHEMA } }),
  schemaOrStrings: messageWith({ schema: SCHEMA, list: { kind: 'list', element: scalar('string') } }),
}

/** Decodes the bytes of a length-delimited field to the value in JSON. */
export function decodeScalar(
  bytes: Uint8Array,
  type: Scalar,
  decode: (bytes: Uint8Array, message: Message) => JsonObject,
): JsonValue {
  if (type === 'bytes') return Buffer.from(bytes).toString('base64')
  const wrapper = WRAPPERS[type as Exclude<Wrapped, 'bytes'>]
  return unwrap(decode(bytes, wrapper), type)
}

function unwrap(message: JsonObject, type: Scalar): JsonValue {
  switch (type) {
    case 'time':
      return timeText(message, 0)
    case 'microtime':
      return timeText(message, 6)
    case 'quantity':
      return message.string ?? '0'
    case 'intstr':
      return message.type === 1 ? (message.strVal ?? '') : (message.intVal ?? 0)
    case 'any':
      return rawJson(message)
    case 'schemaOrBool':
      return message.schema ?? message.allows ?? false
    default:
      return message.schema ?? message.list ?? null
  }
}

/** Formats a time. The zero time is an empty message, and null in JSON. */
function timeText({ seconds = 0, nanos = 0 }: JsonObject, digits: 0 | 6): JsonValue {
  if (seconds === 0 && nanos === 0) return null
  const date = new Date(Number(seconds) * 1000)
  if (Number.isNaN(date.getTime())) throw new ProtobufError(`proto: ${seconds} seconds are no time`)
  const whole = date.toISOString().replace(/\.\d{3}Z$/, '')
  return digits === 0 ? `${whole}Z` : `${whole}.${String(nanos).padStart(9, '0').slice(0, digits)}Z`
}

function rawJson({ raw }: JsonObject): JsonValue {
  const text = Buffer.from(typeof raw === 'string' ? raw : '', 'base64').toString()
  if (text === '') return null
  try {
    return parseJson(text)
  } catch (cause) {
    throw new ProtobufError('an object within the message is not JSON', { cause })
  }
}

/** Converts the value in JSON to the fields of its message. */
export function wrap(value: JsonValue, type: Exclude<Wrapped, 'bytes'>): JsonObject {
  switch (type) {
    case 'time':
    case 'microtime':
      return timeFields(value)
    case 'quantity':
      return { string: String(value) }
    case 'intstr':
      return typeof value === 'string'
        ? { type: 1, intVal: 0, strVal: value }
        : { type: 0, intVal: value, strVal: '' }
    case 'any':
      return { raw: Buffer.from(jsonText(value)).toString('base64') }
    case 'schemaOrBool':
      return typeof value === 'boolean' ? { allows: value } : { allows: true, schema: value }
    default:
      return Array.isArray(value) ? { list: value } : { schema: value }
  }
}

function timeFields(value: JsonValue): JsonObject {
  if (typeof value !== 'string') return {}
  const fraction = /\.(\d+)/.exec(value)?.[1] ?? ''
  return {
    seconds: Math.floor(Date.parse(value) / 1000),
    nanos: Number(fraction.padEnd(9, '0').slice(0, 9)),
  }
}
