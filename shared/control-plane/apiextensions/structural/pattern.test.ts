import { expect, it } from 'vitest'
import { MatchBudget, PatternError, patternOf } from './pattern.ts'

it('finds a match anywhere in the text, as Go does', () => {
  expect(patternOf('b+').test('abbc', new MatchBudget())).toBe(true)
  expect(patternOf('^b+$').test('abbc', new MatchBudget())).toBe(false)
  expect(patternOf('^\\p{Greek}$').test('λ', new MatchBudget())).toBe(true)
})

it('matches in linear time what makes other engines go back and forth for ever', () => {
  expect(patternOf('^(a+)+$').test(`${'a'.repeat(10_000)}b`, new MatchBudget())).toBe(false)
})

it.each([
  ['[', 'error parsing regexp: missing closing ]: `[`'],
  ['(?=a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
  ['((a{0,100}){0,100}){0,100}', 'error parsing regexp: invalid repeat count: `{0,100}`'],
  ['a'.repeat(5000), 'pattern is longer than 4096 characters'],
  ['a{0,1000}'.repeat(10), 'pattern repeats more than 5000 times'],
])('refuses the pattern %.20s', (source, message) => {
  expect(() => patternOf(source)).toThrow(new PatternError(message))
})

it('gives up where texts and patterns together are too much', () => {
  const budget = new MatchBudget()
  const pattern = patternOf('a{0,1000}b')
  expect(pattern.test('ab', budget)).toBe(true)
  expect(pattern.test(`${'a'.repeat(100_000)}b`, budget)).toBe(false)
})
