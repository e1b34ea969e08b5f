import { describe, expect, it } from 'vitest'
import { createTokenBucket } from './token-bucket.ts'

describe('a pace', () => {
  let now = 0
  const start = (perSecond: number) => createTokenBucket(perSecond, () => now)

  it('lets a quarter of a second’s worth go at once, and then so many a second', () => {
    const pace = start(100)
    expect(pace.left()).toBe(25)
    pace.sent(25)
    expect(pace.left()).toBe(0)
    now += 100
    expect(pace.left()).toBe(10)
    now += 60_000
    expect(pace.left()).toBe(25)
  })

  it('saves nothing up, however long nobody asks', () => {
    const pace = start(100)
    pace.sent(25)
    now += 60_000
    pace.sent(25)
    expect(pace.left()).toBe(0)
    now += 60_000
    pace.sent(30)
    now += 100
    expect(pace.left()).toBe(5)
  })

  it('says when the next one may go', () => {
    const pace = start(4)
    pace.sent(1)
    expect(pace.left()).toBe(0)
    expect(pace.waitMs()).toBe(250)
    now += 250
    expect(pace.waitMs()).toBe(0)
    expect(pace.left()).toBe(1)
  })

  it('lets at least one go, however slow it is', () => {
    expect(start(0.25).left()).toBe(1)
  })
})
