/*
 * The part of ASN.1's distinguished encoding rules (ITU-T X.690) that certificates and requests for them are
 * made of. Node reads certificates, but makes none and reads no requests; keys and signatures are Node's in
 * any case. A library for it would be loaded at every start, where the server certifies itself, and takes in
 * what is no DER.
 */

import { TAGS } from './tags.ts'

/** An element of DER within the bytes that it was read from. */
export interface Element {
  readonly tag: number
  /** All of it, with its tag and length. */
  readonly bytes: Buffer
  readonly content: Buffer
}

/** Four bytes of length are more than any certificate has. */
const LONGEST_LENGTH = 4

/** Length from which on it takes bytes of its own. */
const LONG_FROM = 0x80
/** Tags above have more bytes; nothing of X.509 has them. */
const LONG_TAG = 0x1f

/**
 * Reads the first element. Throws a RangeError for bytes that are none, that end before it does, or that are
 * not written in the one way that DER allows (X.690, 10.1): without that, the same content would have several
 * forms.
 */
export function readElement(bytes: Buffer): Element {
  const tag = bytes.readUInt8(0)
  if ((tag & LONG_TAG) === LONG_TAG) throw new RangeError('failed to read DER: a tag is too long')
  const first = bytes.readUInt8(1)
  const size = first < LONG_FROM ? 0 : first & 0x7f
  if (first === LONG_FROM || size > LONGEST_LENGTH)
    throw new RangeError('failed to read DER: a length is too long')
  const length = size === 0 ? first : bytes.readUIntBE(2, size)
  if (size > 0 && (length < LONG_FROM || length < 2 ** (8 * (size - 1))))
    throw new RangeError('failed to read DER: a length is not minimal')
  const start = 2 + size
  if (start + length > bytes.length) throw new RangeError('failed to read DER: it ends within an element')
  return { tag, bytes: bytes.subarray(0, start + length), content: bytes.subarray(start, start + length) }
}

/** Returns the elements in a sequence or set. Throws a RangeError for others, and as `readElement`. */
export function childrenOf({ tag, content }: Element, kind: 'sequence' | 'set' = 'sequence'): Element[] {
  if (tag !== TAGS[kind]) throw new RangeError(`failed to read DER: an element is no ${kind}`)
  const children: Element[] = []
  for (let rest = content; rest.length > 0; ) {
    const child = readElement(rest)
    children.push(child)
    rest = rest.subarray(child.bytes.length)
  }
  return children
}

/** Returns a bit string's bytes. Throws a RangeError for other elements, and ends within a byte. */
export function bitsOf({ tag, content }: Element): Buffer {
  if (tag !== TAGS.bitString || content[0] !== 0)
    throw new RangeError('failed to read DER: an element is no string of whole bytes')
  return content.subarray(1)
}

/** Returns the bytes of the first block of a type in a PEM text; undefined if there is none. */
export function pemBytes(pem: string, type: string): Buffer | undefined {
  const body = new RegExp(`-----BEGIN ${type}-----([A-Za-z0-9+/=\\s]*)-----END ${type}-----`).exec(pem)?.[1]
  return body === undefined ? undefined : Buffer.from(body, 'base64')
}

/** Makes a PEM block of these bytes. */
export function pemOf(bytes: Buffer, type: string): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`
}
