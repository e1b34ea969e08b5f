import { goFloat } from '../../../apimachinery/json/go-number.ts'
import { CelError } from '../../errors.ts'
import {
  durationText,
  inZone,
  parseDuration,
  parseTimestamp,
  timestampOf,
  timestampText,
} from '../../values/time.ts'
import { type CelValue, Duration, Timestamp, TypeValue, typeNameOf, Uint } from '../../values/value.ts'
import { type Library, overload, traversal } from '../function.ts'

const SECOND = 1_000_000_000n

function failed(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`)
}

function wholeOf(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw failed('string', 'int')
  const value = BigInt(text.replace(/^\+/, ''))
  if (BigInt.asIntN(64, value) !== value) throw failed('string', 'int')
  return value
}

function inRange(value: bigint, why: string): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new CelError(why)
  return value
}

function unsigned(value: bigint): Uint {
  if (BigInt.asUintN(64, value) !== value) throw new CelError('unsigned integer overflow')
  return new Uint(value)
}

/** Returns the whole part of a double, which must be within bounds that are not those of integers. */
function truncated(value: number, isWithin: (value: number) => boolean, why: string): bigint {
  if (!isWithin(value)) throw new CelError(why)
  return BigInt(Math.trunc(value))
}

function doubleOf(text: string): number {
  const special = /^[+-]?inf(inity)?$/i.test(text)
  if (special) return text.startsWith('-') ? -Infinity : Infinity
  if (/^[+-]?nan$/i.test(text)) return Number.NaN
  const plain = text.replace(/(?<=[\da-f])_(?=[\da-f])|(?<=^[+-]?0x)_(?=[\da-f])/gi, '')
  const value = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : hexadecimal(plain)
  if (value === undefined || !Number.isFinite(value)) throw failed('string', 'double')
  return value
}

/** Parses a number such as `0x1.8p-2`; undefined for other texts. */
function hexadecimal(text: string): number | undefined {
  const found = /^([+-]?)0x([\da-f]*)(?:\.([\da-f]*))?p([+-]?\d+)$/i.exec(text)
  if (!found) return undefined
  const [, sign, whole = '', fraction = '', exponent] = found
  if (`${whole}${fraction}` === '') return undefined
  const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length)
  return sign === '-' ? -value : value
}

/** Formats a double as Go does. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  return goFloat(value)
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
])

function booleanOf(text: string): boolean {
  const value = BOOLEANS.get(text)
  if (value === undefined) throw failed('string', 'bool')
  return value
}

/** Throws CelError where the bytes are no UTF-8. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string', { cause: error })
  }
}

function reading(type: string, read: () => CelValue): CelValue {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    throw failed('string', type)
  }
}

const same = ([value = null]: readonly CelValue[]): CelValue => value

const nanos = (value: CelValue | undefined): bigint =>
  value instanceof Timestamp || value instanceof Duration ? value.nanoseconds : 0n

/** Functions that make a value of one type one of another. */
export const CONVERSIONS: Library = {
  bool: [overload('(bool) -> bool', same), overload('(string) -> bool', ([a]) => booleanOf(a as string))],
  bytes: [
    overload('(bytes) -> bytes', same),
    overload('(string) -> bytes', ([a]) => new Uint8Array(Buffer.from(a as string)), traversal()),
  ],
  double: [
    overload('(double) -> double', same),
    overload('(int) -> double', ([a]) => Number(a as bigint)),
    overload('(string) -> double', ([a]) => doubleOf(a as string)),
    overload('(uint) -> double', ([a]) => Number((a as Uint).value)),
  ],
  int: [
    overload('(int) -> int', same),
    overload('(double) -> int', ([a]) =>
      truncated(a as number, (value) => value > -(2 ** 63) && value < 2 ** 63, 'integer overflow'),
    ),
    overload('(string) -> int', ([a]) => wholeOf(a as string)),
    overload('(timestamp) -> int', ([a]) => floorSeconds(nanos(a))),
    overload('(uint) -> int', ([a]) => inRange((a as Uint).value, 'integer overflow')),
    overload('(duration) -> int', ([a]) => nanos(a)),
  ],
  uint: [
    overload('(uint) -> uint', same),
    overload('(double) -> uint', ([a]) =>
      unsigned(truncated(a as number, (value) => value >= 0 && value < 2 ** 64, 'unsigned integer overflow')),
    ),
    overload('(int) -> uint', ([a]) => unsigned(a as bigint)),
    overload('(string) -> uint', ([a]) => {
      const text = a as string
      if (!/^\d+$/.test(text) || BigInt(text) >= 2n ** 64n) throw failed('string', 'uint')
      return new Uint(BigInt(text))
    }),
  ],
  string: [
    overload('(string) -> string', same),
    overload('(bool) -> string', ([a]) => String(a)),
    overload('(bytes) -> string', ([a]) => textOf(a as Uint8Array), traversal()),
    overload('(double) -> string', ([a]) => doubleText(a as number)),
    overload('(duration) -> string', ([a]) => durationText(a as Duration)),
    overload('(int) -> string', ([a]) => String(a)),
    overload('(timestamp) -> string', ([a]) => timestampText(a as Timestamp)),
    overload('(uint) -> string', ([a]) => String((a as Uint).value)),
  ],
  duration: [
    overload('(duration) -> duration', same),
    overload('(int) -> duration', ([a]) => new Duration(a as bigint)),
    overload('(string) -> duration', ([a]) =>
      reading('google.protobuf.Duration', () => parseDuration(a as string)),
    ),
  ],
  timestamp: [
    overload('(timestamp) -> timestamp', same),
    overload('(int) -> timestamp', ([a]) => timestampOf((a as bigint) * SECOND)),
    overload('(string) -> timestamp', ([a]) =>
      reading('google.protobuf.Timestamp', () => parseTimestamp(a as string)),
    ),
  ],
  dyn: [overload('(A) -> dyn', same)],
  type: [overload('(A) -> type<A>', ([a = null]) => new TypeValue(typeNameOf(a)))],
}

function floorSeconds(nanoseconds: bigint): bigint {
  return nanoseconds / SECOND - (nanoseconds % SECOND < 0n ? 1n : 0n)
}

function timePart(part: (date: Date) => number): Library[string] {
  return [
    overload('timestamp.() -> int', ([a]) => BigInt(part(inZone(a as Timestamp, 'UTC')))),
    overload('timestamp.(string) -> int', ([a, zone]) =>
      BigInt(part(inZone(a as Timestamp, zone as string))),
    ),
  ]
}

function clockPart(part: (date: Date) => number, unit: bigint): Library[string] {
  return [...(timePart(part) ?? []), overload('duration.() -> int', ([a]) => nanos(a) / unit)]
}

const DAY = 86_400_000

/** Functions for the parts of times that clocks and calendars show. */
export const TIME_PARTS: Library = {
  getFullYear: timePart((date) => date.getUTCFullYear()),
  getMonth: timePart((date) => date.getUTCMonth()),
  getDayOfYear: timePart((date) =>
    // Not Date.UTC(), which takes the year 50 for 1950.
    Math.floor((date.getTime() - new Date(date).setUTCMonth(0, 1)) / DAY),
  ),
  getDayOfMonth: timePart((date) => date.getUTCDate() - 1),
  getDate: timePart((date) => date.getUTCDate()),
  getDayOfWeek: timePart((date) => date.getUTCDay()),
  getHours: clockPart((date) => date.getUTCHours(), 3600n * SECOND),
  getMinutes: clockPart((date) => date.getUTCMinutes(), 60n * SECOND),
  getSeconds: clockPart((date) => date.getUTCSeconds(), SECOND),
  getMilliseconds: [
    ...(timePart((date) => date.getUTCMilliseconds()) ?? []),
    overload('duration.() -> int', ([a]) => nanos(a) / 1_000_000n),
  ],
}
