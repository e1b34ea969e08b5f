import { describe, expect, it } from 'vitest'
import { heapUsed } from '../../test/support/heap.ts'
import { createSyncLatency } from './sync-latency.ts'

describe('how long a key may rest for its look', () => {
  const key = (service: string) => ({ cluster: 'a', namespace: 'shop', service })

  function start(syncMs: number, looks: number): number {
    let now = 0
    const time = createSyncLatency(() => now)
    for (let look = 0; look < looks; look++) {
      time.sent(key('web'))
      now += syncMs
      time.written(key('web'))
    }
    return time.maxMs(key('web'))
  }

  it('is half a second as long as no look was seen, and a tenth where they are quick', () => {
    expect(start(20, 0)).toBe(500)
    expect(start(20, 1)).toBe(100)
  })

  it('is longer than looks take where they are slow, and bounded', () => {
    expect(start(2_000, 100)).toBeGreaterThan(4_000)
    expect(start(60_000, 100)).toBe(10_000)
  })

  it('is three times what looks take, the newest counting for a tenth', () => {
    let now = 1_000_000
    const time = createSyncLatency(() => now)
    for (const syncMs of [200, 200, 1_200, 100]) {
      time.sent(key('web'))
      now += syncMs
      time.written(key('web'))
    }
    expect(time.maxMs(key('web'))).toBeCloseTo(3 * (300 - 20))
  })

  it('does not grow by writes of which nothing was sent', () => {
    let now = 0
    const time = createSyncLatency(() => now)
    time.sent(key('web'))
    now = 100_000
    time.written(key('other'))
    expect(time.maxMs(key('web'))).toBe(500)
  })

  it('is not taken for longer by a write that is not that of the look: a second one, or one of much later', () => {
    let now = 0
    const time = createSyncLatency(() => now)
    time.sent(key('web'))
    now += 20
    time.written(key('web'))
    now += 3_600_000
    time.written(key('web'))
    expect(time.maxMs(key('web'))).toBe(100)
    // The look found nothing to write; others wrote, which the relay did not ask for.
    time.sent(key('web'))
    now += 3_600_000
    time.written(key('web'))
    expect(time.maxMs(key('web'))).toBe(100)
  })

  it('grows up to 2 s where nothing is written again and again, and for that key alone', () => {
    const time = createSyncLatency(() => 0)
    time.sent(key('web'))
    time.written(key('web'))
    const rests = Array.from({ length: 12 }, () => {
      time.sent(key('refused'))
      return time.maxMs(key('refused'))
    })
    expect(rests).toEqual([100, 100, 100, 100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000, 2_000])
    expect(time.maxMs(key('web'))).toBe(100)
    time.written(key('refused'))
    expect(time.maxMs(key('refused'))).toBe(100)
  })

  it('forgets after a minute how often a key was sent, whichever others were sent again meanwhile', () => {
    let now = 0
    const time = createSyncLatency(() => now)
    time.sent(key('other'))
    for (let sending = 0; sending < 5; sending++) time.sent(key('web'))
    expect(time.maxMs(key('web'))).toBe(1_000)
    now = 50_000
    time.sent(key('other'))
    now = 60_001
    time.sent(key('third'))
    expect(time.maxMs(key('web'))).toBe(500)
  })

  it('forgets keys that nobody has written, however many there were', () => {
    let now = 0
    const time = createSyncLatency(() => now)
    const heapAfter = (keys: number): number => {
      for (let index = 0; index < keys; index++) {
        now += 1_000
        time.sent(key(`${now}-`.padEnd(200, 'x')))
      }
      return heapUsed()
    }
    const before = heapAfter(10_000)
    expect(heapAfter(10_000) - before).toBeLessThan(500_000)
  })
})
