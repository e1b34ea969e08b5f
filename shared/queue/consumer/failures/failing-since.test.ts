import { describe, expect, it } from 'vitest'
import { createFailingSince } from './failing-since.ts'

const START = Date.UTC(2026, 0, 1)

describe('failing', () => {
  it('tell for how long a key has failed in the same way', () => {
    const clock = { ms: START }
    const failing = createFailingSince<string>(() => clock.ms)
    expect(failing.note('cart', 'Forbidden')).toBe(0)
    clock.ms += 500
    expect(failing.note('cart', 'Forbidden')).toBe(500)
    expect(failing.note('till', 'Forbidden')).toBe(0)
    clock.ms += 200
    expect(failing.note('cart', 'Invalid')).toBe(0)
    failing.forget('till')
    expect(failing.note('till', 'Forbidden')).toBe(0)
  })

  it('forget keys that have not failed for longer than any stays away', () => {
    const clock = { ms: START }
    const failing = createFailingSince<string>(() => clock.ms)
    failing.note('cart', 'Forbidden')
    failing.note('till', 'Forbidden')
    clock.ms += 600_000
    failing.note('cart', 'Forbidden')
    clock.ms += 400_000
    expect(failing.note('cart', 'Forbidden')).toBe(1_000_000)
    expect(failing.note('till', 'Forbidden')).toBe(0)
  })
})
