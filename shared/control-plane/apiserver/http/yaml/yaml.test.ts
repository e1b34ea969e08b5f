import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { JsonValue } from '../../../apimachinery/json/exact-numbers.ts'
import { toYaml } from './yaml.ts'

const read = (name: string): string => readFileSync(new URL(`./testdata/${name}`, import.meta.url), 'utf8')

describe('YAML answers', () => {
  it('write every kind of text as kube-apiserver does', () => {
    expect(toYaml(JSON.parse(read('scalars.json')))).toBe(read('scalars.yaml'))
  })

  it.each<[string, JsonValue, string]>([
    [
      'members in the order of their numbers',
      { a10: 1, a2: 2, 'a-b': 3, B: 4 },
      'B: 4\na-b: 3\na2: 2\na10: 1\n',
    ],
    [
      'lists that are not indented',
      { items: [{ b: [1, 2], a: {} }, [], [[1], 'x']] },
      'items:\n- a: {}\n  b:\n  - 1\n  - 2\n- []\n- - - 1\n  - x\n',
    ],
    ['what is no object', [null, true, 1.5], '- null\n- true\n- 1.5\n'],
  ])('have %s', (_, value, text) => {
    expect(toYaml(value)).toBe(text)
  })

  it('are read again as what they were', () => {
    // Negative zero has no place in JSON.
    const values = fc.jsonValue({ maxDepth: 4 }).map((value): JsonValue => JSON.parse(JSON.stringify(value)))
    fc.assert(
      fc.property(values, (value) => {
        // To the reader used here, and to no other, these are numbers without digits: `.`, `e0`, `0x_`.
        fc.pre(!/"[-+]?(\._*|\.?_*[eE][-+]?\d+|0[bx]_+)"/.test(JSON.stringify(value)))
        expect(parse(toYaml(value), { version: '1.1' })).toEqual(value)
      }),
    )
  })

  it('are read again as the texts they were, however long', () => {
    const texts = fc.array(
      fc.constantFrom('a', ' ', 'word ', '\n', ': ', '"', "'", '#', '\t', 'é', '😀', '-'),
      { maxLength: 200 },
    )
    fc.assert(
      fc.property(texts, (parts) => {
        const value = { key: parts.join('') }
        expect(parse(toYaml(value), { version: '1.1' })).toEqual(value)
      }),
    )
  })
})
