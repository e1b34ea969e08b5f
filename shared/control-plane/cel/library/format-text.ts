import { CelError } from '../errors.ts'
import {
  CelMap,
  type CelValue,
  Duration,
  durationText,
  isList,
  Timestamp,
  TypeValue,
  timestampText,
  typeNameOf,
  Uint,
} from '../values/index.ts'

/** `'%s is %d'.format([...])` of cel-go's strings. Throws CelError where the arguments do not fit the text. */
export function formatText(text: string, args: readonly CelValue[]): string {
  let used = 0
  const made = text.replace(/%(?:\.(\d+))?([\s\S]?)/g, (_, precision: string | undefined, verb: string) => {
    if (verb === '%') return '%'
    const write = VERBS[verb]
    if (!write) {
      const unknown = verb === '' ? 'unexpected end of string' : `unrecognized formatting clause "${verb}"`
      throw new CelError(`could not parse formatting clause: ${unknown}`)
    }
    const value = args[used++]
    if (value === undefined) throw new CelError(`index ${used - 1} out of range`)
    return write(value, precision === undefined ? undefined : Number(precision))
  })
  return made
}

type Write = (value: CelValue, precision: number | undefined) => string

const VERBS: Readonly<Record<string, Write | undefined>> = {
  s: (value) => plain(value),
  d: (value) => decimal(value),
  f: (value, precision = 6) =>
    real(value, 'fixed-point', (number) => number.toFixed(Math.min(precision, 100))),
  e: (value, precision = 6) =>
    real(value, 'scientific', (number) => scientific(number.toExponential(Math.min(precision, 100)))),
  b: (value) => (typeof value === 'boolean' ? String(Number(value)) : whole(value, 2, 'binary')),
  o: (value) => whole(value, 8, 'octal'),
  x: (value) => hexadecimal(value),
  X: (value) => hexadecimal(value).toUpperCase(),
}

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** `1.5e+3` as `1.5×10⁰³`. */
function scientific(text: string): string {
  const [mantissa = '', exponent = ''] = text.split('e')
  const digits = exponent.slice(1).padStart(2, '0')
  const raised = [...digits].map((digit) => RAISED[Number(digit)]).join('')
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`
}

/** A value inside of a list or a map: texts are quoted there. */
function nested(value: CelValue): string {
  return typeof value === 'string' ? JSON.stringify(value) : plain(value)
}

function plain(value: CelValue): string {
  if (value === null) return 'null'
  if (isList(value)) return `[${value.map(nested).join(', ')}]`
  if (value instanceof CelMap) {
    const entries = value.keys().map((key): [string, string] => [nested(key), nested(value.get(key) ?? null)])
    return `{${entries
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${key}:${member}`)
      .join(', ')}}`
  }
  return scalar(value)
}

function scalar(value: Exclude<CelValue, null>): string {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value)
  if (typeof value === 'number') return number(value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Timestamp) return timestampText(value)
  if (value instanceof Duration) return durationText(value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  throw unfit(
    'string',
    value,
    'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  )
}

function number(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? 'Infinity' : '-Infinity'
}

function decimal(value: CelValue): string {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Uint) return String(value.value)
  if (typeof value === 'number' && !Number.isFinite(value)) return number(value)
  throw unfit('decimal', value, 'integers')
}

function real(value: CelValue, what: string, write: (value: number) => string): string {
  if (typeof value === 'number') return Number.isFinite(value) ? write(value) : number(value)
  if (typeof value === 'bigint') return write(Number(value))
  if (value instanceof Uint) return write(Number(value.value))
  throw unfit(what, value, 'ints, uints, and doubles')
}

function whole(value: CelValue, radix: number, what: string): string {
  if (typeof value === 'bigint') return value.toString(radix)
  if (value instanceof Uint) return value.value.toString(radix)
  throw unfit(what, value, radix === 2 ? 'integers and bools' : 'integers')
}

function hexadecimal(value: CelValue): string {
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (typeof value === 'bigint') return value.toString(16)
  if (value instanceof Uint) return value.value.toString(16)
  throw unfit('hex', value, 'integers, byte buffers, and strings')
}

function unfit(clause: string, value: CelValue, accepted: string): CelError {
  return new CelError(
    `error during formatting: ${clause} clause can only be used on ${accepted}, was given ${typeNameOf(value)}`,
  )
}
