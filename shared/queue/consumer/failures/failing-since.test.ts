import { describe, expect, it } from 'vitest'
import { createFailingSince } from './failing-since.ts'

describe('failing', () => {
  it('tell for how long a key has failed in the same way', () => {
    const clock = { ms: 0 }
    const failing = createFailingSince<string>(() => clock.ms)
    expect(failing.note('cart', 'Forbidden')).toBe(0)
    clock.ms = 500
    expect(failing.note('cart', 'Forbidden')).toBe(500)
    expect(failing.note('till', 'Forbidden')).toBe(0)
    clock.ms = 700
    expect(failing.note('cart', 'Invalid')).toBe(0)
    failing.forget('till')
    expect(failing.note('till', 'Forbidden')).toBe(0)
  })

  it('forget keys that have not failed for longer than any stays away', () => {
    const clock = { ms: 0 }
    const failing = createFailingSince<string>(() => clock.ms)
    for (let key = 0; key < 1_000; key++) failing.note(`old-${key}`, 'Forbidden')
    clock.ms = 600_000
    failing.note('old-7', 'Forbidden')
    clock.ms = 1_000_000
    failing.note('new', 'Forbidden')
    expect(failing.size).toBe(2)
    expect(failing.note('old-7', 'Forbidden')).toBe(1_000_000)
  })
})
