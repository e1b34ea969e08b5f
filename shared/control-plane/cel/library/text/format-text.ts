import { quoted } from '../../../../kubernetes/index.ts'
import { CelError } from '../../errors.ts'
import { durationText, timestampText } from '../../values/time.ts'
import {
  CelMap,
  type CelValue,
  Duration,
  isList,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
} from '../../values/value.ts'
import { doubleText, textOf } from './conversions.ts'
import { refusalOf, replaceClauses, type Verb } from './format-clauses.ts'
import { fixedText, plainFixedText, scientificText } from './format-numbers.ts'

/** Evaluates `'%s is %d'.format([...])` of cel-go's strings 2. Throws CelError for unfit arguments. */
export function formatText(text: string, args: readonly CelValue[]): string {
  return replaceClauses(text, args.length, ({ verb, precision, index }) => {
    const value = args[index] ?? null
    const shown = WRITERS[verb](value, precision)
    if (shown === undefined) throw new CelError(refusalOf(verb, typeNameOf(value)))
    return shown
  })
}

/** Returns undefined for values that the clause cannot show. */
type Write = (value: CelValue, precision: number | undefined) => string | undefined

const WRITERS: Readonly<Record<Verb, Write>> = {
  s: (value) => plain(value),
  d: (value) => whole(value, 10),
  f: (value, precision) => real(value, (number) => fixedText(number, precision)),
  e: (value) => real(value, scientificText),
  b: (value) => (typeof value === 'boolean' ? String(Number(value)) : whole(value, 2)),
  o: (value) => whole(value, 8),
  x: (value) => hexadecimal(value),
  X: (value) => hexadecimal(value)?.toUpperCase(),
}

function plain(value: CelValue): string | undefined {
  if (value === null) return 'null'
  if (isList(value)) return `[${value.map(nested).join(', ')}]`
  if (value instanceof CelMap) return mapText(value)
  if (typeof value === 'number') return doubleText(value)
  if (typeof value === 'string' || typeof value === 'boolean') return String(value)
  if (value instanceof Timestamp) return timestampText(value)
  if (value instanceof Duration) return durationText(value)
  if (value instanceof TypeValue) return value.name
  return value instanceof Uint8Array ? textOf(value) : whole(value, 10)
}

/** Formats a value within a list or a map, as an expression would write it. */
function nested(value: CelValue): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number') return nestedNumber(value)
  if (value instanceof Uint8Array) return `b${quoted(textOf(value))}`
  if (value instanceof Timestamp) return `timestamp("${timestampText(value)}")`
  if (value instanceof Duration) return `duration("${durationText(value)}")`
  const shown = plain(value)
  if (shown === undefined) throw unformatted(typeNameOf(value))
  return shown
}

const nestedNumber = (value: number): string =>
  Number.isFinite(value) ? plainFixedText(value) : quoted(plainFixedText(value))

/** Formats a map, sorted by the keys as they are shown. */
function mapText(map: CelMap): string {
  const entries = map.keys().map((key): [string, string] => {
    const isKey = typeof key === 'string' || typeof key === 'boolean' || whole(key, 10) !== undefined
    if (!isKey) throw unformatted(`map key of type ${typeNameOf(key)}`)
    return [nested(key), nested(map.get(key) ?? null)]
  })
  const sorted = entries.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return `{${sorted.map(([key, member]) => `${key}:${member}`).join(', ')}}`
}

function real(value: CelValue, write: (value: number) => string): string | undefined {
  if (typeof value === 'number') return write(value)
  return typeof value === 'string' && UNLIMITED.has(value) ? write(Number(value)) : undefined
}

const UNLIMITED = new Set(['NaN', 'Infinity', '-Infinity'])

function whole(value: CelValue, radix: number): string | undefined {
  if (typeof value === 'bigint') return value.toString(radix)
  return value instanceof Uint ? value.value.toString(radix) : undefined
}

function hexadecimal(value: CelValue): string | undefined {
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return whole(value, 16)
}

const unformatted = (what: string): CelError =>
  new CelError(`error during formatting: no formatting function for ${what}`)
