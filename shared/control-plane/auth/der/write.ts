import { TAGS } from './tags.ts'

/** Elements of ASN.1 in the distinguished encoding rules (ITU-T X.690), as certificates are made of them. */

/** Year from which on times have four digits of it (RFC 5280, 4.1.2.5). */
const LONG_YEARS_FROM = 2050

/** Makes an element of any tag. */
export function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes = Buffer.from(
    length.toString(16).padStart(length > 0xffff ? 6 : length > 0xff ? 4 : 2, '0'),
    'hex',
  )
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(TAGS.sequence, ...parts)

/** Makes a set of one element. */
export const set = (part: Uint8Array): Buffer => element(TAGS.set, part)

export const boolean = (value: boolean): Buffer => element(TAGS.boolean, Buffer.from([value ? 0xff : 0]))

/** @param bytes of a positive number, the highest first */
export function integer(bytes: Uint8Array): Buffer {
  const isNegative = ((bytes[0] ?? 0) & 0x80) !== 0
  return element(TAGS.integer, isNegative ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
}

/** @param unused bits at the end of the last byte */
export const bitString = (bytes: Uint8Array, unused = 0): Buffer =>
  element(TAGS.bitString, Buffer.from([unused]), bytes)

export const octetString = (bytes: Uint8Array): Buffer => element(TAGS.octetString, bytes)

export const utf8String = (text: string): Buffer => element(TAGS.utf8String, Buffer.from(text, 'utf8'))

/** Makes a constructed element with a context-specific tag. */
export const explicit = (number: number, ...parts: readonly Uint8Array[]): Buffer =>
  element(0xa0 | number, ...parts)

/** Makes a primitive element with a context-specific tag. */
export const implicit = (number: number, bytes: Uint8Array): Buffer => element(0x80 | number, bytes)

/** @param dotted as `2.5.4.3` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return element(TAGS.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 0x7f) | 0x80)
  return digits
}

/** Makes a time to the second, in UTC. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`
  return date.getUTCFullYear() < LONG_YEARS_FROM
    ? element(TAGS.utcTime, Buffer.from(digits.slice(2), 'latin1'))
    : element(TAGS.generalizedTime, Buffer.from(digits, 'latin1'))
}
