import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalQuantity, Quantity, QuantityError } from './quantity.ts'

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
  ])('that is written %s comes back as %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical)
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
        expect(canonicalQuantity(quantity.toString())).toBe(quantity.toString())
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
})
