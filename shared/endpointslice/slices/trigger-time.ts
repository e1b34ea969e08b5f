const RFC3339 = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)$/
/** Text that Go prints for a time that was never set; it means "no time". */
const ZERO_TIME = '0001-01-01T00:00:00Z'

/**
 * Converts a trigger time to its canonical form: UTC, nanoseconds kept, trailing zeros trimmed.
 * @returns `undefined` when the text is not RFC 3339, and `''` for Go's zero time.
 * @example
 * ```ts
 * canonicalTriggerTime('2026-01-01T02:00:00.120+02:00') // => '2026-01-01T00:00:00.12Z'
 * canonicalTriggerTime('yesterday') // => undefined
 * ```
 */
export function canonicalTriggerTime(text: string): string | undefined {
  const match = RFC3339.exec(text)
  if (match === null) return undefined
  const [, date, time, fraction = '', zone = 'Z'] = match
  const milliseconds = Date.parse(`${date}T${time}${zone.toUpperCase()}`)
  if (Number.isNaN(milliseconds)) return undefined
  const seconds = new Date(milliseconds).toISOString().slice(0, -'.000Z'.length)
  // In UTC it may be of a year that four digits do not say.
  if (!/^\d{4}-/.test(seconds)) return undefined
  const digits = fraction.replace(/0+$/, '')
  const canonical = digits === '' ? `${seconds}Z` : `${seconds}.${digits}Z`
  return canonical === ZERO_TIME ? '' : canonical
}
