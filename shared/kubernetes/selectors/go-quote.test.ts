import fc from 'fast-check'
import { expect, it } from 'vitest'
import { quoted } from './go-quote.ts'

it.each([
  ['plain text, ünïcode and 🙂', '"plain text, ünïcode and 🙂"'],
  ['"\\', String.raw`"\"\\"`],
  ['\u0007\b\f\n\r\t\v', String.raw`"\a\b\f\n\r\t\v"`],
  ['\0\u0001\u001f\u007f', String.raw`"\x00\x01\x1f\x7f"`],
  ['\u0080\u00a0\u00ad\u2028\ufeff', String.raw`"\u0080\u00a0\u00ad\u2028\ufeff"`],
  ['\uffff', String.raw`"\uffff"`],
  ['\u{e0001}\u{10ffff}', String.raw`"\U000e0001\U0010ffff"`],
  ['</script>&', '"</script>&"'],
  ['\ud800', '"�"'],
])('quotes %j as strconv.Quote of Go does', (text, wanted) => {
  expect(quoted(text)).toBe(wanted)
})

it('quotes printable ASCII as JSON does', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
      expect(quoted(text)).toBe(JSON.stringify(text))
    }),
  )
})
