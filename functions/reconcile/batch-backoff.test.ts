import { describe, expect, it } from 'vitest'
import { isRetryable, postponeSeconds } from './batch-backoff.ts'

describe('postponeSeconds', () => {
  it('doubles from 1 s with every receive up to 300 s', () => {
    const delays = [1, 2, 3, 8, 9, 10, 2000].map((receiveCount) =>
      postponeSeconds(receiveCount, new Error('x')),
    )
    expect(delays).toEqual([1, 2, 4, 128, 256, 300, 300])
  })

  it('waits at least as long as the error asks for', () => {
    expect(postponeSeconds(1, { retryAfterSeconds: 29.2 })).toBe(30)
    expect(postponeSeconds(10, { retryAfterSeconds: 1 })).toBe(300)
  })

  it('waits an hour at most whatever the error asks for', () => {
    expect(postponeSeconds(1, { retryAfterSeconds: Number.POSITIVE_INFINITY })).toBe(3600)
  })

  it.each([
    undefined,
    null,
    'text',
    42,
    {},
    { retryAfterSeconds: '60' },
    { retryAfterSeconds: Number.NaN },
    { retryAfterSeconds: -5 },
  ])('needs no hint: %o', (error) => {
    expect(postponeSeconds(3, error)).toBe(4)
  })
})

describe('isRetryable', () => {
  it('is false only for errors that say so', () => {
    expect(isRetryable({ retryable: false })).toBe(false)
    for (const error of [{ retryable: true }, new Error('x'), undefined, null, 'text'])
      expect(isRetryable(error)).toBe(true)
  })
})
