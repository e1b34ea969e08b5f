import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fitted, fittedText, wrapped } from './index.ts'

it('breaks a text at spaces only', () => {
  expect(wrapped('3 events → 1 key', 10)).toEqual(['3 events →', '1 key'])
  expect(wrapped('a averyveryverylongword b', 10)).toEqual(['a', 'averyveryverylongword', 'b'])
  expect(wrapped('', 10)).toEqual([''])
})

it('leaves a line whole that fits, or that no terminal shows', () => {
  const line = '  one two three four five'
  expect(fitted(line, { isTerminal: true, columns: 14 })).toBe('  one two\n    three four\n    five')
  expect(fitted(line, { isTerminal: true, columns: line.length })).toBe(line)
  expect(fitted(line, { isTerminal: false, columns: 14 })).toBe(line)
})

it('loses nothing, and has no line that is longer unless it is one word', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 100 }), (text, width) => {
      const lines = wrapped(text, width)
      expect(lines.join(' ')).toBe(text)
      for (const line of lines) expect(line.length <= width || !line.includes(' ')).toBe(true)
    }),
  )
})

it('goes on in a column of its own where one is given, with the words that a line has', () => {
  const narrow = { isTerminal: true, columns: 16 }
  expect(fitted('SQS  2 $  = 4 × 5 $ + 6', narrow, 10)).toBe('SQS  2 $  = 4 ×\n          5 $ +\n          6')
  expect(fittedText('one two three four\n\n      five six seven', narrow)).toBe(
    'one two three\n    four\n\n      five six\n        seven',
  )
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{1,8}$/)),
      fc.integer({ min: 12, max: 60 }),
      (words, columns) => {
        const text = fitted(words.join(' '), { isTerminal: true, columns })
        expect(text.split(/\s+/).filter(Boolean)).toEqual(words)
        for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
      },
    ),
  )
})
