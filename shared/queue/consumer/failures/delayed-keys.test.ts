import { describe, expect, it } from 'vitest'
import { createParkedKeys } from './delayed-keys.ts'

describe('parked keys', () => {
  it('are covered by a message that comes back later, not by themselves', () => {
    const clock = { ms: 0 }
    const parked = createParkedKeys<string>(() => clock.ms)
    parked.park('cart', ['a', 'b'], 10)
    clock.ms = 9_999
    expect([parked.has('cart', ['c']), parked.has('cart', ['b', 'c']), parked.has('till', ['c'])]).toEqual([
      true,
      false,
      false,
    ])
    clock.ms = 10_000
    expect(parked.has('cart', ['c'])).toBe(false)
  })

  it('are still covered by what comes back later when others are forgotten', () => {
    const clock = { ms: 0 }
    const parked = createParkedKeys<string>(() => clock.ms)
    parked.park('cart', ['a'], 300)
    clock.ms = 60_000
    parked.park('till', ['b'], 10)
    expect(parked.size).toBe(2)
    expect(parked.has('cart', ['c'])).toBe(true)
    parked.park('cart', ['a'], 10)
    clock.ms = 70_000
    expect(parked.has('cart', ['c'])).toBe(false)
  })

  it('are forgotten once they have come back', () => {
    const clock = { ms: 0 }
    const parked = createParkedKeys<string>(() => clock.ms)
    for (let key = 0; key < 1_000; key++) parked.park(`web-${key}`, ['a'], 10)
    clock.ms = 60_000
    parked.park('cart', ['a'], 10)
    expect(parked.size).toBe(1)
  })
})
