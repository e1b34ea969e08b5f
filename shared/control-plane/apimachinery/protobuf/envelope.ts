import { quoted } from '../../../kubernetes/index.ts'
import type { FieldType } from '../../apiserver/schema/table.ts'
import type { JsonObject } from '../json/exact-numbers.ts'
import { stringAt } from '../json/values.ts'
import { decodeMessage } from './decode.ts'
import { encodeMessage } from './encode.ts'
import { ProtobufError } from './errors.ts'
import { createMessage, type Message, messageOf, structNameOf } from './message.ts'

/** Beginning of every body (apimachinery's serializer/protobuf). */
const PREFIX = Buffer.from('k8s\0')

const TEXT: FieldType = { kind: 'scalar', scalar: 'string' }
const BYTES: FieldType = { kind: 'scalar', scalar: 'bytes' }

/** runtime.Unknown: the kind, and the object's own message as bytes. */
const UNKNOWN = createMessage([
  {
    number: 1,
    inlined: createMessage([
      { number: 1, name: 'apiVersion', type: TEXT },
      { number: 2, name: 'kind', type: TEXT },
    ]),
  },
  { number: 2, name: 'raw', type: BYTES },
  { number: 3, name: 'contentEncoding', type: TEXT },
  { number: 4, name: 'contentType', type: TEXT },
])

/** meta/v1 WatchEvent, whose object is a RawExtension. */
const WATCH_EVENT = createMessage([
  { number: 1, name: 'type', type: TEXT },
  { number: 2, inlined: createMessage([{ number: 1, name: 'object', type: BYTES }]) },
])

/** Reads `application/vnd.kubernetes.protobuf`. Throws ProtobufError for other bytes and unknown kinds. */
export function decodeObject(bytes: Uint8Array): JsonObject {
  if (!PREFIX.equals(bytes.subarray(0, PREFIX.length))) {
    throw new ProtobufError(
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    )
  }
  const unknown = decodeMessage(bytes.subarray(PREFIX.length), UNKNOWN)
  const apiVersion = stringAt(unknown, 'apiVersion')
  const kind = stringAt(unknown, 'kind')
  const found = messageOfKind(apiVersion, kind)
  if (found === undefined) {
    throw new ProtobufError(
      `no kind ${quoted(kind)} is registered for version ${quoted(apiVersion)} in protobuf`,
    )
  }
  const raw = Buffer.from(stringAt(unknown, 'raw'), 'base64')
  return { kind, apiVersion, ...decodeMessage(raw, found) }
}

/**
 * Encodes the body of an object or a list; undefined for kinds that protobuf does not have.
 * @example
 * ```ts
 * const encoded = encodeObject({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
 * Buffer.from(encoded ?? []).toString('latin1', 0, 3) // => 'k8s'
 * encodeObject({ apiVersion: 'example.org/v1', kind: 'Note' }) // => undefined
 * ```
 */
export function encodeObject(object: JsonObject): Uint8Array | undefined {
  const { kind, apiVersion = '', ...rest } = object
  const found = messageOfKind(String(apiVersion), String(kind))
  if (found === undefined) return undefined
  const raw = Buffer.from(encodeMessage(rest, found)).toString('base64')
  return Buffer.concat([PREFIX, encodeMessage({ kind: kind ?? '', apiVersion, raw }, UNKNOWN)])
}

/** Reports whether a kind, or the list of a kind, has a protobuf form. */
export const hasProtobuf = (apiVersion: string, kind: string): boolean =>
  messageOfKind(apiVersion, kind) !== undefined

/**
 * Encodes one event of a watch in `application/vnd.kubernetes.protobuf;stream=watch`: its length in four
 * bytes, then meta/v1 WatchEvent.
 * @example
 * ```ts
 * const event = encodeEvent('ADDED', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
 * event.readUInt32BE(0) // => event.length - 4
 * ```
 */
export function encodeEvent(type: string, object: JsonObject): Buffer {
  const encoded = Buffer.from(encodeObject(object) ?? []).toString('base64')
  const event = encodeMessage({ type, object: encoded }, WATCH_EVENT)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(event.length)
  return Buffer.concat([length, event])
}

function messageOfKind(apiVersion: string, kind: string): Message | undefined {
  const name = structNameOf(apiVersion, kind)
  if (name !== undefined) return messageOf(name)
  const item = kind.endsWith('List') ? structNameOf(apiVersion, kind.slice(0, -'List'.length)) : undefined
  return item === undefined ? undefined : listOf({ kind: 'struct', name: item })
}

/** Returns the message of a list, which has its metadata under 1 and its items under 2. */
function listOf(element: FieldType): Message {
  return createMessage([
    { number: 1, name: 'metadata', type: { kind: 'struct', name: 'meta.ListMeta' } },
    { number: 2, name: 'items', type: { kind: 'list', element } },
  ])
}
