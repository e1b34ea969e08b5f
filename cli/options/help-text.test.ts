import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wrapHelp } from './help-text.ts'

describe('a help text', () => {
  it('has its paragraphs joined and broken again, whatever their lines were', () => {
    const text = 'One idea that is told in a line of the source.\nThe next one.\n\nAnother\nparagraph.'
    expect(wrapHelp(text, 30)).toBe(
      'One idea that is told in a\nline of the source. The next\none.\n\nAnother paragraph.',
    )
    expect(wrapHelp(text, 110)).toBe(
      'One idea that is told in a line of the source. The next one.\n\nAnother paragraph.',
    )
  })

  it('keeps labels in their column, and what they mean in another', () => {
    const text =
      'Policies:\n  in-tree  slices as the in-tree controller packs them\n           and no others\n  compact  merged'
    expect(wrapHelp(text, 36)).toBe(
      [
        'Policies:',
        '  in-tree  slices as the in-tree',
        '           controller packs them and',
        '           no others',
        '  compact  merged',
      ].join('\n'),
    )
  })

  it('breaks commands so that a shell reads them as one, and never within quotes', () => {
    const command = `    $ sliceflow cost --clusters 3 --pods 9 -o json | jq -r '.a | --b' --sort`
    expect(wrapHelp(`  What costs most?\n${command}`, 35)).toBe(
      [
        '  What costs most?',
        '    $ sliceflow cost --clusters 3 \\',
        '        --pods 9 -o json \\',
        "        | jq -r '.a | --b' --sort",
      ].join('\n'),
    )
    const broken = '  $ sliceflow history |\n      jq -r .cause\n  The next one.'
    expect(wrapHelp(broken, 80)).toBe(broken)
  })

  it('keeps every word, in its order, and no line longer than the terminal that has a place to break', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 12 })
    const line = fc
      .tuple(fc.constantFrom('', '  ', '    '), words)
      .map(([indent, all]) => indent + all.join(' '))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.integer({ min: 20, max: 120 }), (lines, width) => {
        const text = wrapHelp(lines.join('\n'), width)
        expect(text.split(/\s+/).filter(Boolean)).toEqual(lines.join('\n').split(/\s+/).filter(Boolean))
        expect(text.split('\n').filter((each) => each.length > width && each.trim().includes(' '))).toEqual(
          [],
        )
      }),
    )
  })
})
