import { encodeObject } from '../../control-plane/index.ts'

/** Encoding of watch events. */
export type Encoding = 'protobuf' | 'json'
export const ENCODINGS: readonly Encoding[] = ['protobuf', 'json']
export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** Size of a write, in bytes. */
export interface ObjectSize {
  /** Size in etcd, where an API server always writes protobuf. */
  readonly stored: number
  /** Size of one watch event for one watcher. */
  readonly sent: number
}

/** Bytes of an object, or of a part of one, in both encodings. */
export interface Bytes {
  readonly protobuf: number
  readonly json: number
}

/** An object that an API server can encode. */
interface Encodable {
  readonly apiVersion: string
  readonly kind: string
  readonly [field: string]: unknown
}

/** Counts the bytes of the envelope of an object's own message, without its length. */
const envelopeBytes = ({ apiVersion, kind }: Encodable): number => {
  const typeMeta = 2 + apiVersion.length + 2 + kind.length
  return PREFIX_BYTES + 2 + typeMeta + 1 + EMPTY_FIELDS_BYTES
}
/** `k8s` and a zero byte. */
const PREFIX_BYTES = 4
/** contentEncoding and contentType of runtime.Unknown. */
const EMPTY_FIELDS_BYTES = 4

/** Counts the bytes of a length's varint. */
const varintBytes = (value: number): number => {
  let bytes = 1
  for (let left = value; left >= 128; left = Math.floor(left / 128)) bytes++
  return bytes
}

/** Counts the bytes of a message or text in another message: its tag, its length, itself. */
export const fieldBytes = (bytes: number): number => 1 + varintBytes(bytes) + bytes

/** Encodes an object as the API server does, and returns the length of its own message. */
export function messageBytes(object: Encodable): Bytes {
  const whole = encodeObject(object as Parameters<typeof encodeObject>[0])?.length ?? 0
  const rest = whole - envelopeBytes(object)
  let protobuf = rest - 1
  while (protobuf + varintBytes(protobuf) > rest) protobuf--
  return { protobuf, json: Buffer.byteLength(JSON.stringify(object)) }
}

/** @param bytes size of the object's own message, and of its JSON */
export function objectSize(encoding: Encoding, type: EventType, object: Encodable, bytes: Bytes): ObjectSize {
  const stored = envelopeBytes(object) + varintBytes(bytes.protobuf) + bytes.protobuf
  return { stored, sent: encoding === 'json' ? jsonEvent(type, bytes.json) : protobufEvent(type, stored) }
}

/** Counts the four bytes of the length, then meta/v1 WatchEvent, whose object is a RawExtension. */
const protobufEvent = (type: EventType, object: number): number =>
  4 + fieldBytes(type.length) + fieldBytes(fieldBytes(object))

const jsonEvent = (type: EventType, object: number): number =>
  `{"type":"${type}","object":}\n`.length + object
