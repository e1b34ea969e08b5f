import { badRequest } from '../../apimachinery/errors/factories.ts'
import { ownMember } from '../../apimachinery/json/values.ts'

/** Milliseconds by unit, as Go's time.ParseDuration knows them. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

/**
 * Returns how long a request may take, in milliseconds: its `timeout`, such as `10s` or `1m30s`, if that is
 * less than `most`. Throws a 400 for a malformed duration (apiserver's
 * pkg/endpoints/filters/request_deadline.go).
 */
export function timeLimitOf(query: URLSearchParams, most: number): number {
  const asked = query.get('timeout') ?? ''
  const milliseconds = asked === '' ? 0 : durationOf(asked)
  return milliseconds > 0 ? Math.min(milliseconds, most) : most
}

function durationOf(text: string): number {
  const [, sign = '', rest = ''] = /^([-+]?)(.*)$/s.exec(text) ?? []
  if (rest === '0') return 0
  const parts = [...rest.matchAll(/(\d+(?:\.\d*)?|\.\d+)([^\d.]*)/gy)]
  const read = parts.reduce((length, [part]) => length + part.length, 0)
  if (rest === '' || read < rest.length) throw refused(`invalid duration ${JSON.stringify(text)}`)
  const sum = parts.reduce((total, [, number, unit = '']) => total + Number(number) * factorOf(unit, text), 0)
  return sign === '-' ? -sum : sum
}

function factorOf(unit: string, text: string): number {
  if (unit === '') throw refused(`missing unit in duration ${JSON.stringify(text)}`)
  const factor = ownMember(UNITS, unit)
  if (factor === undefined)
    throw refused(`unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`)
  return factor
}

const refused = (why: string) => badRequest(`invalid timeout specified in the request URL - time: ${why}`)
