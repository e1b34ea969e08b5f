import { describe, expect, it } from 'vitest'
import { refusalOf, retryAfterSeconds } from './refusal.ts'

describe('retryAfterSeconds', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  it.each([
    ['7', 7],
    ['0', 0],
    ['-3', 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %j as %j', (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds)
  })
})

describe('refusalOf', () => {
  it.each(['null', '"text"', '<html>', ''])('needs no Status in the body: %j', (text) => {
    const error = refusalOf('get Service shop/cart', { status: 502, headers: {}, text })
    expect(error).toMatchObject({ code: 502, reason: '', retryAfterSeconds: undefined })
    expect(error.message).toBe(`failed to get Service shop/cart: HTTP status 502: ${text}`)
  })
})
