import { CelError } from '../errors.ts'
import { Duration, Timestamp } from './value.ts'

const SECOND = 1_000_000_000n
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
}
const MOST = 2n ** 63n - 1n
/** The years 1 to 9999, in seconds since 1970. */
const EARLIEST = -62_135_596_800n
const LATEST = 253_402_300_799n
/** Pattern of a time as Go reads it: it takes hours of one digit, and a comma before the fraction. */
const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/

/** Parses a duration such as `1h30m` or `-1.5s`. Throws CelError if the text is malformed. */
export function parseDuration(text: string): Duration {
  const sign = text.startsWith('-') ? -1n : 1n
  const body = text.replace(/^[+-]/, '')
  if (body === '0') return new Duration(0n)
  const parts = [...body.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)]
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join('') === body
  if (!isWhole || parts.some(([, whole, fraction]) => !whole && !fraction))
    throw new CelError(`time: invalid duration ${JSON.stringify(text)}`)
  const sum = parts.reduce((total, [, whole = '', fraction = '', unit = '']) => {
    const scale = UNITS[unit] ?? 1n
    const below = fraction === '' ? 0n : (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length)
    return total + BigInt(whole || '0') * scale + below
  }, 0n)
  if (BigInt.asIntN(64, sign * sum) !== sign * sum)
    throw new CelError(`time: invalid duration ${JSON.stringify(text)}`)
  return new Duration(sign * sum)
}

/** Formats a duration as CEL does: in seconds, such as `5400s` or `0.5s`. */
export function durationText({ nanoseconds }: Duration): string {
  return `${decimal(nanoseconds, 9)}s`
}

/** Formats a number without needless zeros. */
function decimal(value: bigint, digits: number): string {
  const sign = value < 0n ? '-' : ''
  const padded = (value < 0n ? -value : value).toString().padStart(digits + 1, '0')
  const fraction = padded.slice(-digits).replace(/0+$/, '')
  return `${sign}${padded.slice(0, -digits)}${fraction === '' ? '' : `.${fraction}`}`
}

/** Parses a time of RFC 3339. Throws CelError if the text is malformed. */
export function parseTimestamp(text: string): Timestamp {
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = RFC3339.exec(text) ?? []
  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  const date = new Date(local)
  if (Number(year) < 100) date.setUTCFullYear(Number(year))
  const isDate = !Number.isNaN(local) && Number(month) <= 12 && date.getUTCDate() === Number(day)
  if (!isDate || Number(month) < 1 || !isClock(Number(hour), Number(minute), Number(second)) || !isZone(zone))
    throw new CelError(`parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": cannot parse`)
  const offset = zone === 'Z' ? 0 : offsetMinutes(zone)
  const seconds = BigInt(date.getTime() / 1000) - BigInt(offset * 60)
  const { nanoseconds } = timestampOf(seconds * SECOND + BigInt(fraction.slice(0, 9).padEnd(9, '0')))
  return new Timestamp(nanoseconds, offset)
}

const isClock = (hour: number, minute: number, second: number): boolean =>
  hour < 24 && minute < 60 && second < 60

/** Reports whether a text is an offset. Go takes up to 24 hours and 60 minutes. */
function isZone(zone: string): boolean {
  const [, hours, minutes] = /^.(\d\d):(\d\d)$/.exec(zone) ?? []
  return Number(hours ?? 0) <= 24 && Number(minutes ?? 0) <= 60
}

/** Throws CelError where the time is not between the years 1 and 9999. */
export function timestampOf(nanoseconds: bigint, problem = 'range error converting to timestamp'): Timestamp {
  if (nanoseconds < EARLIEST * SECOND || nanoseconds >= (LATEST + 1n) * SECOND) throw new CelError(problem)
  return new Timestamp(nanoseconds)
}

/** Throws CelError where it does not fit into 64 bits. */
export function durationOf(nanoseconds: bigint): Duration {
  if (nanoseconds > MOST || nanoseconds < -MOST - 1n) throw new CelError('integer overflow')
  return new Duration(nanoseconds)
}

export function timestampText({ nanoseconds: utc, offset }: Timestamp): string {
  const nanoseconds = utc + BigInt(offset * 60) * SECOND
  const fraction = ((nanoseconds % SECOND) + SECOND) % SECOND
  const digits = fraction.toString().padStart(9, '0').replace(/0+$/, '')
  const whole = new Date(Number((nanoseconds - fraction) / 1_000_000n)).toISOString().slice(0, 19)
  return `${whole}${digits === '' ? '' : `.${digits}`}${zoneText(offset)}`
}

function zoneText(offset: number): string {
  if (offset === 0) return 'Z'
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`
}

function offsetMinutes(zone: string): number {
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number)
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** Returns the time as that zone's clock shows it, as if UTC. Throws CelError for an unknown zone. */
export function inZone({ nanoseconds }: Timestamp, zone: string): Date {
  const milliseconds = Number(nanoseconds / 1_000_000n) - (nanoseconds % 1_000_000n < 0n ? 1 : 0)
  if (zone === '' || zone === 'UTC' || zone === 'Local') return new Date(milliseconds)
  const colon = zone.indexOf(':')
  if (colon >= 0) {
    const [hours, minutes] = [goNumber(zone.slice(0, colon)), goNumber(zone.slice(colon + 1))]
    const offset = zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes
    return new Date(milliseconds + offset * 60_000)
  }
  return new Date(milliseconds + namedOffset(milliseconds, zone))
}

function goNumber(text: string): number {
  if (!/^[+-]?\d{1,9}$/.test(text)) throw new CelError(`strconv.Atoi: parsing "${text}": invalid syntax`)
  return Number(text)
}

function namedOffset(milliseconds: number, zone: string): number {
  if (/\.\.|^[/\\]|\\/.test(zone)) throw new CelError('time: invalid location name')
  const format = formatIn(zone)
  const name = format.formatToParts(milliseconds).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? []
  const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return (sign === '-' ? -offset : offset) * 1000
}

/** Zones of three letters that are in the time zone database; Node knows more. */
const SHORT = new Set('CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' '))

/** Returns a zone's format. Go knows zones by files' names: in their own case only, and no numbers. */
function formatIn(zone: string): Intl.DateTimeFormat {
  const unknown = new CelError(`unknown time zone ${zone}`)
  if (!/^[A-Z][^/]*(\/[A-Z][^/]*)*$/.test(zone) || (/^[A-Z]{3}$/.test(zone) && !SHORT.has(zone)))
    throw unknown
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    const { timeZone } = format.resolvedOptions()
    if (timeZone !== zone && timeZone.toLowerCase() === zone.toLowerCase()) throw unknown
    return format
  } catch (error) {
    throw error === unknown ? unknown : new CelError(unknown.message, { cause: error })
  }
}
