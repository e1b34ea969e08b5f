import { InvalidArgumentError } from 'commander'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/
const AGO = /^(\d{1,6})(s|m|h|d)$/
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Reads an RFC 3339 time, or how long ago it was, such as 15m.
 * @returns milliseconds since the epoch
 * @throws InvalidArgumentError
 */
export function parseTime(text: string, now = Date.now()): number {
  const [, count, unit = ''] = AGO.exec(text) ?? []
  const ago = Number(count) * (UNIT_MS[unit] ?? Number.NaN)
  const time = Number.isNaN(ago) && TIME.test(text) ? Date.parse(text) : now - ago
  if (Number.isNaN(time))
    throw new InvalidArgumentError(
      'It must be a time such as 2026-03-01T03:12:00Z, or how long ago, such as 90s, 15m, 2h or 3d.',
    )
  return time
}
