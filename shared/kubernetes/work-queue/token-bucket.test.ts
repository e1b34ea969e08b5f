import { describe, expect, it } from 'vitest'
import { TokenBucket } from '../index.ts'

describe('a token bucket', () => {
  let now = 0
  const start = (perSecond: number, burst: number) => new TokenBucket({ perSecond, burst, now: () => now })

  it('lets its burst go at once, and then its rate', () => {
    const bucket = start(100, 25)
    expect(bucket.tokens).toBe(25)
    bucket.take(25)
    expect(bucket.tokens).toBe(0)
    now += 100
    expect(bucket.tokens).toBe(10)
    now += 60_000
    expect(bucket.tokens).toBe(25)
  })

  it('says when so many can be taken, and when its debt is paid', () => {
    const bucket = start(4, 1)
    expect([bucket.waitMs(0), bucket.waitMs(1), bucket.waitMs(2)]).toEqual([0, 0, 250])
    bucket.take(3)
    expect([bucket.waitMs(0), bucket.waitMs(1)]).toEqual([500, 750])
    now += 500
    expect([bucket.waitMs(0), bucket.tokens]).toEqual([0, 0])
    bucket.giveBack(1)
    expect(bucket.tokens).toBe(1)
  })

  it('spreads evenly without a burst, the first at once, and does not make up for time that was not used', () => {
    const bucket = start(10, 0)
    const waits = [5, 1, 10, 1].map((count) => {
      const waitMs = bucket.waitMs(0)
      bucket.take(count)
      return waitMs
    })
    expect(waits).toEqual([0, 500, 600, 1_600])
    now += 60_000
    expect(bucket.waitMs(0)).toBe(0)
    bucket.take(10)
    expect(bucket.waitMs(0)).toBe(1_000)
  })

  it('is empty for a pause, of which the longer one counts, and then fills at its rate', () => {
    const bucket = start(10, 20)
    expect([bucket.pause(1_000), bucket.pause(500)]).toEqual([true, false])
    expect([bucket.tokens, bucket.waitMs(0), bucket.waitMs(1)]).toEqual([0, 1_000, 1_100])
    now += 1_200
    expect([bucket.tokens, bucket.waitMs(0)]).toEqual([2, 0])
  })
})
