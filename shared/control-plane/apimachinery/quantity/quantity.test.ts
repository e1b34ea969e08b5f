import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Quantity } from './quantity.ts'
import { QuantityError } from './read.ts'

describe('a quantity', () => {
  // Each as apimachinery 0.36 writes it back.
  it.each([
    ['0', '0'],
    ['5', '5'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1.5', '1500m'],
    ['100m', '100m'],
    ['1500m', '1500m'],
    ['2000', '2k'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['1Ei', '1Ei'],
    ['1e3', '1e3'],
    ['1000000', '1M'],
    ['0.0000000001', '1n'],
    ['-1500m', '-1500m'],
    ['0Ki', '0'],
    ['00100', '00100'],
    ['+5', '+5'],
    ['5.', '5.'],
    ['.', '0'],
    ['+', '0'],
    ['1.Ki', '1.Ki'],
    ['1.1Ki', '1126400m'],
    ['-0.5Ki', '-512'],
    ['1e31', '10e30'],
    ['1e19', '10e18'],
    ['10E', '10E'],
    ['12345678901234567890', '12345678901234567890'],
    ['100e-12', '1e-9'],
    ['16Ei', '9223372036854775807'],
    ['-16Ei', '-9223372036854775807'],
    ['1234567890123Ki', '1234567890123Ki'],
  ])('that is written %s comes back as %s', (text, canonical) => {
    expect(Quantity.canonical(text)).toBe(canonical)
  })

  it.each(['', 'x', '1x', '1 ', '1Kk', '1e', '1e999999999', '1iK', `1${'0'.repeat(200)}`])(
    'is not written %j',
    (text) => {
      expect(() => Quantity.parse(text)).toThrow(QuantityError)
    },
  )

  it('comes back from its own form', () => {
    const suffix = fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e2', 'n', 'u')
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), suffix, (amount, unit) => {
        const quantity = Quantity.parse(`${amount}${unit}`)
        expect(Quantity.parse(quantity.toString()).compare(quantity)).toBe(0)
        expect(Quantity.canonical(quantity.toString())).toBe(quantity.toString())
      }),
    )
  })

  it('adds and subtracts exactly', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        const [left, right] = [Quantity.parse(`${a}m`), Quantity.parse(`${b}m`)]
        expect(left.plus(right).minus(right).compare(left)).toBe(0)
        expect(Math.sign(left.compare(right))).toBe(Math.sign(a - b))
      }),
    )
  })

  it('keeps its format in a sum, unless it is nothing', () => {
    expect(Quantity.parse('1Gi').plus(Quantity.parse('1Mi')).toString()).toBe('1025Mi')
    expect(Quantity.zero.plus(Quantity.parse('1Gi')).toString()).toBe('1Gi')
    expect(Quantity.parse('1').plus(Quantity.parse('500m')).toString()).toBe('1500m')
  })

  // Each as `AsInt64` of apimachinery 0.36 returns it, of the quantity itself and with 1 less.
  it.each([
    ['5', 5n, 4n],
    ['1000m', undefined, undefined],
    ['1.0', undefined, undefined],
    ['1.G', 10n ** 9n, 10n ** 9n - 1n],
    ['1.5Gi', undefined, undefined],
    ['1Ki', 1024n, 1023n],
    ['1234567890123Ki', undefined, undefined],
    ['9E', 9n * 10n ** 18n, 9n * 10n ** 18n - 1n],
    ['10E', undefined, undefined],
    ['1e18', 10n ** 18n, 10n ** 18n - 1n],
    ['1000000000000000000', undefined, undefined],
    ['1e-3', undefined, undefined],
    ['.', 0n, -1n],
  ])('that is written %s is an integer as far as upstream keeps it as one', (text, integer, less) => {
    const quantity = Quantity.parse(text)
    expect(quantity.toInteger()).toBe(integer)
    expect(quantity.minus(Quantity.of(1)).toInteger()).toBe(less)
  })
})
