import { describe, expect, it } from 'vitest'
import { createDelayedKeys } from './delayed-keys.ts'

describe('delayed keys', () => {
  it('are covered by a message that comes back later, not by themselves', () => {
    const clock = { ms: 0 }
    const delayed = createDelayedKeys<string>(() => clock.ms)
    delayed.delay('cart', ['a', 'b'], 10)
    clock.ms = 9_999
    expect([delayed.has('cart', ['c']), delayed.has('cart', ['b', 'c']), delayed.has('till', ['c'])]).toEqual(
      [true, false, false],
    )
    clock.ms = 10_000
    expect(delayed.has('cart', ['c'])).toBe(false)
  })

  it('are still covered by what comes back later when others are forgotten', () => {
    const clock = { ms: 0 }
    const delayed = createDelayedKeys<string>(() => clock.ms)
    delayed.delay('cart', ['a'], 300)
    clock.ms = 60_000
    delayed.delay('till', ['b'], 10)
    expect(delayed.size).toBe(2)
    expect(delayed.has('cart', ['c'])).toBe(true)
    delayed.delay('cart', ['a'], 10)
    clock.ms = 70_000
    expect(delayed.has('cart', ['c'])).toBe(false)
  })

  it('are forgotten once they have come back', () => {
    const clock = { ms: 0 }
    const delayed = createDelayedKeys<string>(() => clock.ms)
    for (let key = 0; key < 1_000; key++) delayed.delay(`web-${key}`, ['a'], 10)
    clock.ms = 60_000
    delayed.delay('cart', ['a'], 10)
    expect(delayed.size).toBe(1)
  })
})
