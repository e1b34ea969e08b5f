import { describe, expect, it } from 'vitest'
import { createRefusals } from './failing-since.ts'

describe('refusals', () => {
  it('tell for how long a key has failed in the same way', () => {
    const clock = { ms: 0 }
    const refusals = createRefusals<string>(() => clock.ms)
    expect(refusals.note('cart', 'Forbidden')).toBe(0)
    clock.ms = 500
    expect(refusals.note('cart', 'Forbidden')).toBe(500)
    expect(refusals.note('till', 'Forbidden')).toBe(0)
    clock.ms = 700
    expect(refusals.note('cart', 'Invalid')).toBe(0)
    refusals.forget('till')
    expect(refusals.note('till', 'Forbidden')).toBe(0)
  })

  it('forget keys that have not failed for longer than any stays away', () => {
    const clock = { ms: 0 }
    const refusals = createRefusals<string>(() => clock.ms)
    for (let key = 0; key < 1_000; key++) refusals.note(`old-${key}`, 'Forbidden')
    clock.ms = 600_000
    refusals.note('old-7', 'Forbidden')
    clock.ms = 1_000_000
    refusals.note('new', 'Forbidden')
    expect(refusals.size).toBe(2)
    expect(refusals.note('old-7', 'Forbidden')).toBe(1_000_000)
  })
})
