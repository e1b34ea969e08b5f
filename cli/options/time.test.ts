import { expect, it } from 'vitest'
import { parseTime } from './time.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

it.each([
  ['2026-03-01T03:12:04.123Z', '2026-03-01T03:12:04.123Z'],
  ['2026-03-01T03:12Z', '2026-03-01T03:12:00.000Z'],
  ['2026-03-01T03:12:04+02:00', '2026-03-01T01:12:04.000Z'],
  ['0s', '2026-03-01T12:00:00.000Z'],
  ['90s', '2026-03-01T11:58:30.000Z'],
  ['15m', '2026-03-01T11:45:00.000Z'],
  ['2h', '2026-03-01T10:00:00.000Z'],
  ['3d', '2026-02-26T12:00:00.000Z'],
])('%s is %s', (text, time) => expect(new Date(parseTime(text, NOW)).toISOString()).toBe(time))

it.each(['', '5', '5w', '-5m', '03:12', '2026-03-01', '2026-13-01T00:00:00Z', 'yesterday'])(
  '"%s" is no time',
  (text) => expect(() => parseTime(text, NOW)).toThrow('It must be a time such as'),
)
