import { describe, expect, it } from 'vitest'
import { createRecentLooks } from './recent-looks.ts'

const NOON = Date.UTC(2026, 0, 1, 12)

describe('recent looks', () => {
  it('cover a message sent well before the last one began', () => {
    const looks = createRecentLooks<string>(() => NOON)
    looks.remember('cart', NOON)
    expect(looks.cover('cart', NOON - 1_001)).toBe(true)
  })

  it('do not cover one sent later, nor one so close before that clocks may differ', () => {
    const looks = createRecentLooks<string>(() => NOON)
    looks.remember('cart', NOON)
    expect(looks.cover('cart', NOON + 1)).toBe(false)
    expect(looks.cover('cart', NOON - 1_000)).toBe(false)
  })

  it('cover no other key', () => {
    const looks = createRecentLooks<string>(() => NOON)
    looks.remember('cart', NOON)
    expect(looks.cover('till', NOON - 60_000)).toBe(false)
  })

  it('are forgotten after a quarter of an hour', () => {
    let now = NOON
    const looks = createRecentLooks<string>(() => now)
    looks.remember('old', now)
    now += 15 * 60_000 + 1
    looks.remember('new', now)
    expect(looks.size).toBe(1)
    expect(looks.cover('old', NOON - 60_000)).toBe(false)
  })
})
