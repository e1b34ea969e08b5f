import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { numberAt, stringAt } from '../../apimachinery/json/values.ts'
import type { KubeObject } from '../../apimachinery/objects.ts'

const UNITS: readonly (readonly [suffix: string, seconds: number])[] = [
  ['y', 365 * 24 * 3600],
  ['d', 24 * 3600],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
]

/** Formats a span as kubectl's ages: `12s`, `3m5s`, `47m`, `2d4h`, `8y`; two units only for small firsts. */
export function shortAge(seconds: number): string {
  if (seconds < -1) return '<invalid>'
  if (seconds < 60 * 2) return `${Math.max(0, Math.floor(seconds))}s`
  if (seconds < 10 * 60) return twoUnits(seconds, 'm', 's')
  if (seconds < 3 * 3600) return oneUnit(seconds, 'm')
  if (seconds < 8 * 3600) return twoUnits(seconds, 'h', 'm')
  if (seconds < 48 * 3600) return oneUnit(seconds, 'h')
  if (seconds < 8 * 24 * 3600) return twoUnits(seconds, 'd', 'h')
  if (seconds < 2 * 365 * 24 * 3600) return oneUnit(seconds, 'd')
  return seconds < 8 * 365 * 24 * 3600 ? twoUnits(seconds, 'y', 'd') : oneUnit(seconds, 'y')
}

function secondsOf(unit: string): number {
  return UNITS.find(([suffix]) => suffix === unit)?.[1] ?? 1
}

function oneUnit(seconds: number, unit: string): string {
  return `${Math.floor(seconds / secondsOf(unit))}${unit}`
}

function twoUnits(seconds: number, unit: string, smaller: string): string {
  const rest = Math.floor((seconds % secondsOf(unit)) / secondsOf(smaller))
  return rest === 0 ? oneUnit(seconds, unit) : `${oneUnit(seconds, unit)}${rest}${smaller}`
}

/** Returns how long ago a time of an object was. */
export function ageSince(time: string | undefined, now: number): string {
  return time ? shortAge((now - Date.parse(time)) / 1000) : '<unknown>'
}

/**
 * @example
 * ```ts
 * const metadata = { name: 'web', creationTimestamp: '2026-01-01T00:00:00Z' }
 * ageOf({ apiVersion: 'v1', kind: 'Pod', metadata }, Date.parse('2026-01-01T02:00:00Z')) // => '120m'
 * ```
 */
export function ageOf(object: KubeObject, now: number): string {
  return ageSince(object.metadata.creationTimestamp, now)
}

export function orNone(text: string): string {
  return text === '' ? '<none>' : text
}

/** Lists the first items and how many more there are: `a,b,c + 2 more...`. */
export function firstFew(items: readonly string[], most = 3): string {
  const shown = items.slice(0, most).join(',')
  return items.length > most ? `${shown} + ${items.length - most} more...` : shown
}

export function formatLabels(labels: Record<string, string>): string {
  return orNone(
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
  )
}

/** Formats a Service's port: `80/TCP`, `80:30080/TCP`. */
export function servicePort(port: JsonObject): string {
  const nodePort = numberAt(port, 'nodePort')
  const number = String(numberAt(port, 'port') ?? 0)
  return `${nodePort ? `${number}:${nodePort}` : number}/${stringAt(port, 'protocol') || 'TCP'}`
}
