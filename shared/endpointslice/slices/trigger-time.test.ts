import { describe, expect, it } from 'vitest'
import { canonicalTriggerTime } from './trigger-time.ts'

describe('canonicalTriggerTime', () => {
  it.each([
    ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z'],
    ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00Z'],
    ['2026-03-01T12:00:00.120000000Z', '2026-03-01T12:00:00.12Z'],
    ['2026-03-01T00:30:00.000000001+02:00', '2026-02-28T22:30:00.000000001Z'],
    ['2026-03-01t12:00:00.5z', '2026-03-01T12:00:00.5Z'],
  ])('gives %s as %s', (text, canonical) => {
    expect(canonicalTriggerTime(text)).toBe(canonical)
  })

  it('takes the zero time for none', () => {
    expect(canonicalTriggerTime('0001-01-01T00:00:00Z')).toBe('')
  })

  it.each([
    ...['', 'now', '2026-03-01', '2026-03-01T12:00:00', '2026-13-01T12:00:00Z', '2026-03-01 12:00:00Z'],
    ...['9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+01:00'],
  ])('refuses %j', (text) => {
    expect(canonicalTriggerTime(text)).toBeUndefined()
  })
})
