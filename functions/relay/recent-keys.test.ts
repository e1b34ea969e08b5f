import { describe, expect, it } from 'vitest'
import { heapUsed } from '../../test/support/heap.ts'
import { createRecentKeys } from './recent-keys.ts'

const key = (service: string) => ({ cluster: 'a', namespace: 'shop', service })

describe('recent keys', () => {
  it('are those that changed not longer ago than asked for, by their last change', () => {
    let now = 0
    const recent = createRecentKeys(2000, () => now)
    recent.add([key('cart'), key('till')])
    now = 1500
    recent.add([key('cart')])
    now = 1999
    expect([recent.has(key('cart')), recent.has(key('till')), recent.has(key('other'))]).toEqual([
      true,
      true,
      false,
    ])
    now = 2000
    expect([recent.has(key('cart')), recent.has(key('till'))]).toEqual([true, false])
    now = 3500
    expect(recent.has(key('cart'))).toBe(false)
  })

  it('are forgotten without further calls', () => {
    let now = 0
    const recent = createRecentKeys(2000, () => now)
    const heapAfter = (keys: number): number => {
      for (let index = 0; index < keys; index++) {
        now += 100
        recent.add([key(`${now}-`.padEnd(200, 'x'))])
      }
      return heapUsed()
    }
    const before = heapAfter(3_000)
    expect(heapAfter(3_000) - before).toBeLessThan(300_000)
  })
})
