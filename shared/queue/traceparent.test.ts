import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { record } from './consumer/batch-handler.fixtures.ts'
import { mergeTraceparents, traceparentOf } from './traceparent.ts'

const CONTEXT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

const withAttribute = (stringValue: string) => ({
  ...record('1', '{}'),
  messageAttributes: { traceparent: { stringValue, dataType: 'String' } },
})

describe('the context of a message’s trace', () => {
  it('is what the attribute says', () => {
    expect(traceparentOf(withAttribute(CONTEXT))).toBe(CONTEXT)
    expect(traceparentOf(record('1', '{}'))).toBeUndefined()
  })

  it.each([
    ['of another version', CONTEXT.replace('00-', '01-')],
    ['with more behind it', `${CONTEXT}-00`],
    ['in capitals', CONTEXT.toUpperCase()],
    ['of the trace 0', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['of the span 0', `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`],
    ['with a line after it', `${CONTEXT}\n`],
    ['empty', ''],
  ])('counts as absent where it is %s', (_, text) => {
    expect(traceparentOf(withAttribute(text))).toBeUndefined()
  })

  it('has 55 characters of hexadecimal and hyphens, whatever the attribute holds', () => {
    const near = fc
      .tuple(fc.nat(54), fc.string({ maxLength: 3 }))
      .map(([at, text]) => CONTEXT.slice(0, at) + text + CONTEXT.slice(at + 1))
    void fc.assert(
      fc.property(fc.oneof(fc.string(), near), (text) => {
        const read = traceparentOf(withAttribute(text))
        if (read !== undefined) expect(read).toMatch(/^[0-9a-f-]{55}$/)
      }),
    )
  })
})

describe('the contexts of merged messages', () => {
  it('are those of both, each once, the earlier one’s first, ten at most', () => {
    expect(mergeTraceparents(undefined, undefined)).toBeUndefined()
    expect(mergeTraceparents(['a'], undefined)).toEqual(['a'])
    expect(mergeTraceparents(['a', 'b'], ['b', 'c'])).toEqual(['a', 'b', 'c'])
    const many = Array.from({ length: 8 }, (_, index) => `a${index}`)
    const more = Array.from({ length: 8 }, (_, index) => `b${index}`)
    expect(mergeTraceparents(many, more)).toEqual([...many, 'b0', 'b1'])
  })
})
