import { describe, expect, it } from 'vitest'
import { backoffSeconds } from './backoff.ts'

const none = (): number => 0
const most = (): number => 0.999

describe('backoffSeconds', () => {
  const retry = (receiveCount: number, retryAfterSeconds?: number, random = none): number =>
    backoffSeconds(
      { receiveCount, disposition: 'retry', ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
      random,
    )

  it('doubles from 1 s with every receive up to 300 s', () => {
    const counts = [0, 1, 2, 3, 8, 9, 10, 2000]
    expect(counts.map((count) => retry(count))).toEqual([1, 1, 2, 4, 128, 256, 300, 300])
  })

  it('gives a person more than a minute and a half in four receives', () => {
    const counts = [1, 2, 3, 4, 5]
    const seconds = counts.map((receiveCount) => backoffSeconds({ receiveCount, disposition: 'retry-few' }))
    expect(seconds).toEqual([5, 20, 80, 300, 300])
  })

  it('waits at least as long as it is asked for, and up to a quarter longer so that not all come at once', () => {
    expect([retry(1, 29.2), retry(1, 29.2, most)]).toEqual([30, 37])
    expect([retry(10, 1), retry(10, 1, most)]).toEqual([300, 375])
  })

  it('waits little more than an hour at most, whatever it is asked for', () => {
    expect(retry(1, Number.POSITIVE_INFINITY)).toBe(3600)
    expect(retry(1, Number.POSITIVE_INFINITY, most)).toBeLessThan(43_200)
  })
})
