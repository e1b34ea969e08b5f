import { describe, expect, it } from 'vitest'
import { TooLargeVersionError } from './errors.ts'
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
    ['  ', undefined],
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

  const refuse = (status: unknown) =>
    refusalOf('get Service shop/cart', { status: 500, headers: {}, text: JSON.stringify(status) })

  it('cuts what others wrote', () => {
    const long = 'no '.repeat(100_000)
    const causes = Array.from({ length: 1_000 }, () => ({ message: 'no '.repeat(2_000) }))
    const error = refuse({ message: long, reason: long, details: { name: long, causes } })
    expect(error.message.length).toBeLessThan(2_100)
    expect(error.reason.length).toBeLessThan(2_100)
    expect(JSON.stringify(error.status).length).toBeLessThan(300_000)
  })

  it('leaves a text of 2,000 characters whole and cuts a longer one', () => {
    for (const [characters, text] of [
      [2_000, 'x'.repeat(2_000)],
      [2_001, `${'x'.repeat(2_000)}…`],
    ] as const)
      expect(refuse({ message: 'x'.repeat(characters) }).status.message).toBe(text)
  })

  it('takes a code that is no number for none', () => {
    expect(refuse({ code: '410', message: 'odd' }).status).toEqual({ message: 'odd' })
  })

  it('quotes no more than 200 characters of what is no Status', () => {
    const error = refusalOf('get Service shop/cart', { status: 502, headers: {}, text: 'x'.repeat(9_000) })
    expect(error.message).toBe(`failed to get Service shop/cart: HTTP status 502: ${'x'.repeat(200)}`)
  })

  it('takes the time to wait from the Status where no header reports it', () => {
    expect(refuse({ details: { retryAfterSeconds: 9 } }).retryAfterSeconds).toBe(9)
  })

  it('takes no field of another type', () => {
    expect(refuse({ message: 7, reason: {}, details: { causes: {}, retryAfterSeconds: '9' } })).toMatchObject(
      {
        message: 'failed to get Service shop/cart: HTTP status 500',
        reason: '',
        retryAfterSeconds: undefined,
        status: { details: {} },
      },
    )
    expect(
      refuse({ details: { causes: [null, 'x', { reason: 'ResourceVersionTooLarge' }] } }),
    ).toBeInstanceOf(TooLargeVersionError)
  })
})
