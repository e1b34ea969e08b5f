import { beforeEach, describe, expect, it } from 'vitest'
import { heapUsed } from '../../../test/support/heap.ts'
import { fixedTime, keyBucket, RateLimiter, type ServiceKey } from '../index.ts'

const key = (service: string): ServiceKey => ({ cluster: 'a', namespace: 'shop', service })

describe('the time after which a key may be sent again', () => {
  const when = (window: 'auto' | number, endpoints: number, syncMs = 500) => {
    let now = 0
    const limiter = new RateLimiter({
      ...{ window, apiCallsPerSecond: 400 },
      endpointCount: () => endpoints,
      now: () => now,
    })
    // As long as no sync was seen it is reckoned with 500 ms; else with three times what one took.
    if (syncMs !== 500) {
      limiter.sent(key('web'))
      now += syncMs / 3
      limiter.written(key('web'))
    }
    const { minMs, maxMs, deferMs } = limiter.when(key('web'))
    return [minMs, maxMs, deferMs].map((ms) => ms && Math.round(ms))
  }

  it('is none without a window', () => {
    expect(when(0, 1000)).toEqual([0, 0, undefined])
  })

  it.each([
    [0, 0, 0],
    [20, 18, 100],
    [100, 67, 300],
    [500, 143, 500],
    [10_000, 196, 594],
  ])(
    'with %i endpoints and a window of 200 ms is at least %i ms, and %i ms to defer',
    (count, minMs, deferMs) => {
      expect(when(0.2, count)).toEqual([minMs, 500, deferMs])
    },
  )

  it('is a share of a window, and at least as long as a sync', () => {
    expect(when(5, 1800)).toEqual([4500, 4500, 4737])
    expect(when(1, 200, 150)).toEqual([500, 500, 1333])
    expect(when(1, 200, 900)).toEqual([500, 900, 1333])
    expect(when(0.5, 100, 300)).toEqual([167, 300, 750])
    expect(when(10, 100, 300)).toEqual([3333, 3333, 5000])
  })

  it.each([
    [0, 0],
    [20, 83],
    [100, 250],
    [500, 417],
  ])('with %i endpoints and auto is that of a sync, and %i ms to defer', (count, deferMs) => {
    expect(when('auto', count, 150)).toEqual([0, 150, deferMs])
  })

  it('is the same whatever is written where it is fixed', () => {
    expect(fixedTime(70)).toEqual({ minMs: 70, maxMs: 70 })
  })
})

describe('the bucket of keys', () => {
  const MIN_IN_FLIGHT = 16
  let now: number
  const limiterOf = (apiCallsPerSecond: number): RateLimiter =>
    new RateLimiter({ window: 'auto', endpointCount: () => 0, apiCallsPerSecond, now: () => now })
  beforeEach(() => {
    now = 0
  })

  /** Has a key sent and written after some time. */
  function written(limiter: RateLimiter, syncMs: number): void {
    limiter.sent(key('web-0'))
    now += syncMs
    limiter.written(key('web-0'))
  }

  it('has a quarter of a second’s worth, and at least one', () => {
    expect([limiterOf(400).tokens, limiterOf(1).tokens]).toEqual([25, 1])
    expect([keyBucket(100).tokens, keyBucket(0.1).tokens]).toEqual([25, 1])
  })

  it('lets no more go than it would while a quick sync takes', () => {
    const limiter = limiterOf(100_000)
    written(limiter, 2)
    // At 25,000 a second and 2 ms, 50 may be in flight.
    now += 1_000
    for (let number = 0; number < 50; number++) limiter.sent(key(`busy-${number}`))
    expect(limiter.tokens).toBe(0)
    now += 3
    limiter.written(key('busy-7'))
    expect(limiter.tokens).toBe(1)
  })

  it('always lets some go, and all where no sync has been seen', () => {
    const limiter = limiterOf(400)
    expect(limiter.tokens).toBe(25)
    written(limiter, 1)
    now += 1_000
    for (let number = 0; number < MIN_IN_FLIGHT - 1; number++) limiter.sent(key(`busy-${number}`))
    expect(limiter.tokens).toBe(1)
  })

  it('waits for a key in flight that is never written no longer than a sync takes', () => {
    const limiter = limiterOf(400)
    written(limiter, 10)
    now += 1_000
    for (let number = 0; number < MIN_IN_FLIGHT; number++) limiter.sent(key(`quiet-${number}`))
    expect(limiter.tokens).toBe(0)
    // The shortest time after which a sync is reckoned to be over.
    expect(limiter.waitMs(1)).toBe(100)
    now += 100
    expect(limiter.tokens).toBe(MIN_IN_FLIGHT)
  })

  it('waits no longer than half a second, however slow syncs were in an outage', () => {
    const limiter = limiterOf(400)
    written(limiter, 10)
    for (let number = 0; number < 30; number++) {
      limiter.sent(key(`slow-${number}`))
      now += 9_000
      limiter.written(key(`slow-${number}`))
    }
    for (let number = 0; number < MIN_IN_FLIGHT; number++) limiter.sent(key(`quiet-${number}`))
    expect([limiter.tokens, limiter.waitMs(1)]).toEqual([0, 500])
    now += 500
    expect(limiter.tokens).toBe(MIN_IN_FLIGHT)
  })

  it('lets more go where syncs take longer, and forgets slowly that they were quicker', () => {
    const limiter = limiterOf(1_000)
    written(limiter, 300)
    now += 1_000
    // 250 a second for 300 ms are 75.
    for (let number = 0; number < 50; number++) limiter.sent(key(`far-${number}`))
    expect(limiter.tokens).toBe(25)
    now += 10 * 60_000
    for (let number = 0; number < 150; number++) limiter.sent(key(`far-${number}`))
    // 75 times 1.1 to the power of the 10 minutes are 194.
    expect(limiter.tokens).toBe(44)
  })

  it('learns nothing from what was sent more than once', () => {
    const limiter = limiterOf(1_000)
    written(limiter, 300)
    for (const _ of [1, 2]) limiter.sent(key('again'))
    now += 1
    limiter.written(key('again'))
    for (let number = 0; number < 50; number++) limiter.sent(key(`far-${number}`))
    expect(limiter.tokens).toBeGreaterThan(0)
  })
})

describe('the longest time that a sync is waited for', () => {
  const open = (now: () => number = () => 0) => {
    const limiter = new RateLimiter({
      ...{ window: 'auto', apiCallsPerSecond: 400 },
      endpointCount: () => 0,
      now,
    })
    return Object.assign(limiter, { maxMs: (of: ServiceKey) => limiter.when(of).maxMs })
  }

  function start(syncMs: number, syncs: number): number {
    let now = 0
    const limiter = open(() => now)
    for (let sync = 0; sync < syncs; sync++) {
      limiter.sent(key('web'))
      now += syncMs
      limiter.written(key('web'))
    }
    return limiter.maxMs(key('web'))
  }

  it('is half a second as long as no sync was seen, and a tenth where they are quick', () => {
    expect(start(20, 0)).toBe(500)
    expect(start(20, 1)).toBe(100)
  })

  it('is longer than syncs take where they are slow, and bounded', () => {
    expect(start(2_000, 100)).toBeGreaterThan(4_000)
    expect(start(60_000, 100)).toBe(10_000)
  })

  it('is three times what syncs take, the newest counting for a tenth', () => {
    let now = 1_000_000
    const limiter = open(() => now)
    for (const syncMs of [200, 200, 1_200, 100]) {
      limiter.sent(key('web'))
      now += syncMs
      limiter.written(key('web'))
    }
    expect(limiter.maxMs(key('web'))).toBeCloseTo(3 * (300 - 20))
  })

  it('forgets in a minute without a write that syncs were slow, as in an outage', () => {
    let now = 0
    const limiter = open(() => now)
    for (let sync = 0; sync < 20; sync++) {
      limiter.sent(key('web'))
      now += 9_000
      limiter.written(key('web'))
    }
    now += 60_000
    expect(limiter.maxMs(key('web'))).toBe(10_000)
    now += 1
    expect(limiter.maxMs(key('web'))).toBe(500)
    limiter.sent(key('web'))
    now += 20
    limiter.written(key('web'))
    expect(limiter.maxMs(key('web'))).toBeLessThan(500)
  })

  it('does not grow by writes of which nothing was sent', () => {
    let now = 0
    const limiter = open(() => now)
    limiter.sent(key('web'))
    now = 100_000
    limiter.written(key('other'))
    expect(limiter.maxMs(key('web'))).toBe(500)
  })

  it('is not taken for longer by a write that is not that of the sync: a second one, or one of much later', () => {
    let now = 0
    const limiter = open(() => now)
    limiter.sent(key('web'))
    now += 20
    limiter.written(key('web'))
    now += 3_600_000
    limiter.written(key('web'))
    expect(limiter.maxMs(key('web'))).toBe(100)
    // The sync found nothing to write; others wrote, which the relay did not ask for.
    limiter.sent(key('web'))
    now += 3_600_000
    limiter.written(key('web'))
    expect(limiter.maxMs(key('web'))).toBe(100)
  })

  it('grows up to 2 s where nothing is written again and again, and for that key alone', () => {
    const limiter = open(() => 0)
    limiter.sent(key('web'))
    limiter.written(key('web'))
    const times = Array.from({ length: 12 }, () => {
      limiter.sent(key('refused'))
      return limiter.maxMs(key('refused'))
    })
    expect(times).toEqual([100, 100, 100, 100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000, 2_000])
    expect(limiter.maxMs(key('web'))).toBe(100)
    limiter.written(key('refused'))
    expect(limiter.maxMs(key('refused'))).toBe(100)
  })

  it('forgets after a minute how often a key was sent, whichever others were sent again meanwhile', () => {
    let now = 0
    const limiter = open(() => now)
    limiter.sent(key('other'))
    for (let sending = 0; sending < 5; sending++) limiter.sent(key('web'))
    expect(limiter.maxMs(key('web'))).toBe(1_000)
    now = 50_000
    limiter.sent(key('other'))
    now = 60_001
    limiter.sent(key('third'))
    expect(limiter.maxMs(key('web'))).toBe(500)
  })

  it('forgets keys that nobody has written, however many there were', () => {
    let now = 0
    const limiter = open(() => now)
    const heapAfter = (keys: number): number => {
      for (let index = 0; index < keys; index++) {
        now += 1_000
        limiter.sent(key(`${now}-`.padEnd(200, 'x')))
      }
      return heapUsed()
    }
    const before = heapAfter(10_000)
    expect(heapAfter(10_000) - before).toBeLessThan(500_000)
  })
})
