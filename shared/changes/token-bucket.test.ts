import { describe, expect, it } from 'vitest'
import { createTokenBucket } from './token-bucket.ts'

describe('a token bucket', () => {
  let now = 0
  const start = (perSecond: number) => createTokenBucket(perSecond, () => now)

  it('lets a quarter of a second’s worth go at once, and then so many a second', () => {
    const bucket = start(100)
    expect(bucket.left()).toBe(25)
    bucket.sent(25)
    expect(bucket.left()).toBe(0)
    now += 100
    expect(bucket.left()).toBe(10)
    now += 60_000
    expect(bucket.left()).toBe(25)
  })

  it('saves nothing up, however long nobody asks', () => {
    const bucket = start(100)
    bucket.sent(25)
    now += 60_000
    bucket.sent(25)
    expect(bucket.left()).toBe(0)
    now += 60_000
    bucket.sent(30)
    now += 100
    expect(bucket.left()).toBe(5)
  })

  it('says when the next one may go', () => {
    const bucket = start(4)
    bucket.sent(1)
    expect(bucket.left()).toBe(0)
    expect(bucket.waitMs()).toBe(250)
    now += 250
    expect(bucket.waitMs()).toBe(0)
    expect(bucket.left()).toBe(1)
  })

  it('lets at least one go, however slow it is', () => {
    expect(start(0.25).left()).toBe(1)
  })
})
