import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { canonicalText, compareText, equal, excerpt, type Json } from './index.ts'

const json = fc.jsonValue().map((value) => value as Json)

describe('equality', () => {
  it('holds just where the canonical texts are the same', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(equal(a, b)).toBe(canonicalText(a) === canonicalText(b))
        expect(equal(a, JSON.parse(JSON.stringify(a)))).toBe(true)
      }),
    )
  })

  it('distinguishes a missing member from null, and lists from objects', () => {
    expect(equal({ a: null }, { b: null })).toBe(false)
    expect(equal({}, { a: null })).toBe(false)
    expect(equal([], {})).toBe(false)
    expect(equal({ toString: 1 }, { valueOf: 1 })).toBe(false)
  })
})

describe('the canonical text', () => {
  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(equal(JSON.parse(canonicalText(value)), value)).toBe(true)
      }),
    )
  })

  it('sorts members by the bytes of their names, and escapes as Go does', () => {
    expect(canonicalText({ b: 1, a: [1.5, 1e21, -0.0000001], '😀': '<é>', '\uffff': '&\u2028' })).toBe(
      '{"a":[1.5,1e+21,-1e-7],"b":1,"\uffff":"\\u0026\\u2028","😀":"\\u003cé\\u003e"}',
    )
  })
})

describe('the order of texts', () => {
  it('is that of their UTF-8 bytes', () => {
    const text = fc.string({ unit: anyCharacter })
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareText(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))))
      }),
    )
    expect(compareText('\uffff', '😀')).toBeLessThan(0)
  })
})

describe('an excerpt', () => {
  it('is cut where it is long', () => {
    expect(excerpt({ a: [1] })).toBe('{"a":[1]}')
    expect(excerpt('x'.repeat(1000), 5)).toBe('"xxxx…')
  })
})
