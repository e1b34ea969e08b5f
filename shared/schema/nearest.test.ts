import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { didYouMean, nearest } from './index.ts'

const KNOWN = ['mode', 'shard', 'shadow', 'selector', 'batchWindow', 'batchSize', 'maximumConcurrency']

describe('the nearest known word', () => {
  it.each([
    ['selecter', 'selector'],
    ['selectors', 'selector'],
    ['slector', 'selector'],
    ['sleector', 'selector'],
    ['SELECTOR', 'selector'],
    ['maximumConcurency', 'maximumConcurrency'],
    ['batchWindows', 'batchWindow'],
    ['mdoe', 'mode'],
    ['made', 'mode'],
  ])('of %s is %s', (word, meant) => expect(nearest(word, KNOWN)).toBe(meant))

  it.each(['', 'many', 'selected-by', 'window', 'md', 'x'.repeat(100_000)])('of "%s" is none', (word) =>
    expect(nearest(word, KNOWN)).toBeUndefined(),
  )

  it('is the one of fewest slips', () => {
    expect(nearest('shadw', ['shards', 'shadow'])).toBe('shadow')
  })

  it('is the word itself where it is known, whatever else is', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 64 })), fc.string({ maxLength: 64 }), (others, word) => {
        expect(nearest(word, [...others, word])?.toLowerCase()).toBe(word.toLowerCase())
      }),
    )
  })

  it('is found after any one slip in a word of six or more', () => {
    const slip = fc.record({ at: fc.nat(17), by: fc.constantFrom('', 'é', 'éé') })
    fc.assert(
      fc.property(slip, ({ at, by }) => {
        const word = 'maximumConcurrency'
        expect(nearest(word.slice(0, at) + by + word.slice(at + 1), KNOWN)).toBe(word)
      }),
    )
  })

  it('ends a sentence, or does not', () => {
    expect(didYouMean('selecter', KNOWN)).toBe('; did you mean selector?')
    expect(didYouMean('nothing', KNOWN)).toBe('')
  })
})
