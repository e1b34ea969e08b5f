import { describe, expect, it } from 'vitest'
import { createDelayedKeys } from './delayed-keys.ts'

const START = Date.UTC(2026, 0, 1)

describe('delayed keys', () => {
  it('are covered by a message that comes back later, not by themselves', () => {
    const clock = { ms: START }
    const delayed = createDelayedKeys<string>(() => clock.ms)
    delayed.delay('cart', ['a', 'b'], 10)
    clock.ms += 9_999
    expect([delayed.has('cart', ['c']), delayed.has('cart', ['b', 'c']), delayed.has('till', ['c'])]).toEqual(
      [true, false, false],
    )
    clock.ms += 1
    expect(delayed.has('cart', ['c']), 'it comes back now, not later').toBe(false)
  })

  it('are covered for as long as their newest message stays away', () => {
    const clock = { ms: START }
    const delayed = createDelayedKeys<string>(() => clock.ms)
    delayed.delay('cart', ['a'], 300)
    clock.ms += 60_000
    expect(delayed.has('cart', ['c'])).toBe(true)
    delayed.delay('cart', ['a'], 10)
    clock.ms += 10_000
    expect(delayed.has('cart', ['c'])).toBe(false)
  })
})
