import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatLabelSelector,
  matchesLabels,
  parseLabelSelector,
  SelectorError,
  selectorFromLabels,
} from '../index.ts'

const matches = (selector: string, labels: Record<string, string>): boolean =>
  matchesLabels(parseLabelSelector(selector), labels)

describe('a label selector', () => {
  it.each([
    ['app=web', { app: 'web' }, true],
    ['app==web', { app: 'web' }, true],
    ['app=web', { app: 'api' }, false],
    ['app=web', {}, false],
    ['app!=web', { app: 'api' }, true],
    ['app!=web', {}, true],
    ['app in (web,api)', { app: 'api' }, true],
    ['app in (web, api)', { app: 'db' }, false],
    ['app notin (web)', {}, true],
    ['app notin (web)', { app: 'web' }, false],
    ['app', { app: '' }, true],
    ['!app', { app: 'x' }, false],
    ['!app', {}, true],
    ['n>1', { n: '2' }, true],
    ['n<1', { n: '2' }, false],
    ['n>1', { n: 'two' }, false],
    ['n>1', { n: '1' }, false],
    ['n>9', { n: '10' }, true],
    ['n<9', { n: '9' }, false],
    ['n<10', { n: '9' }, true],
    ['n<10', { n: '+9' }, true],
    ['n<10', {}, false],
    ['n>1', { n: '2 or so' }, false],
    ['app', {}, false],
    ['  app  in  ( web ,\t\n api )  ', { app: 'api' }, true],
    ['app in ()', { app: '' }, true],
    ['app in ()', {}, false],
    ['app in (,)', { app: '' }, true],
    ['app in (x,)', { app: '' }, true],
    ['app in (,x)', { app: '' }, true],
    ['app in (,x)', { app: 'x' }, true],
    ['app in (x,,y)', { app: '' }, true],
    ['app in (x,y)', { app: '' }, false],
    ['app=,tier', { app: '', tier: 'a' }, true],
    ['app=,tier', { app: '' }, false],
    ['app=web,tier in (a,b)', { app: 'web', tier: 'b' }, true],
    ['app=web,tier in (a,b)', { app: 'web', tier: 'c' }, false],
    [' app = web ', { app: 'web' }, true],
    ['app=', { app: '' }, true],
    ['', { any: 'thing' }, true],
    ['in=notin', { in: 'notin' }, true],
    ['constructor', {}, false],
    ['!constructor', {}, true],
    ['toString!=x', {}, true],
    ['n>1', { n: '9223372036854775808' }, false],
  ])('%j on %j is %s', (selector, labels, expected) => {
    expect(matches(selector, labels)).toBe(expected)
  })

  // As kube-apiserver 1.36 answers them.
  it.each([
    ['app in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['app=x=y', "found '=', expected: ',' or 'end of string'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    [
      'n>9223372036854775808',
      `unable to parse requirement: values[0]: Invalid value: "9223372036854775808": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      'n<x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      'n>x1',
      `unable to parse requirement: values[0]: Invalid value: "x1": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['n>=1', "unable to parse requirement: found '=', expected: identifier"],
    ['=x', "found '=', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a in x', "unable to parse requirement: found 'x' expected: '('"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (=)', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a in (x,=)', "unable to parse requirement: found '=', expected: ',', or identifier"],
    ['app=!', "unable to parse requirement: found '!', expected: identifier"],
  ])('%j is refused with the words of an API server', (selector, message) => {
    expect(() => parseLabelSelector(selector)).toThrow(new SelectorError(message))
  })

  it('is refused for each of its values that could be on no object', () => {
    expect(() => parseLabelSelector('a in (-,B,_)')).toThrow(
      /^unable to parse requirement: \[values\[0\]\[a\]: Invalid value: "-": .*, values\[2\]\[a\]: Invalid value: "_": .*\]$/,
    )
    expect(() => parseLabelSelector('a=-')).toThrow(/^unable to parse requirement: values\[0\]\[a\]: /)
  })

  it('is refused for good: the same text is never read later', () => {
    expect(new SelectorError('no')).toMatchObject({ retryable: false })
  })

  it('holds each value once, in order', () => {
    expect(parseLabelSelector('a in (c,b,c,a)')).toEqual([
      { key: 'a', operator: 'in', values: ['a', 'b', 'c'] },
    ])
  })

  it('is refused when a key or value could be on no object', () => {
    expect(() => parseLabelSelector('-bad=x')).toThrow(/"-bad": name part must consist of/)
    expect(() => parseLabelSelector(`app=${'x'.repeat(64)}`)).toThrow(SelectorError)
  })

  const name = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/)
  const requirement = fc.oneof(
    fc.record({
      key: name,
      operator: fc.constantFrom('exists' as const, 'absent' as const),
      values: fc.constant([]),
    }),
    fc.record({
      key: name,
      operator: fc.constantFrom('in' as const, 'notin' as const),
      values: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }).map((values) => values.sort()),
    }),
    fc.record({
      key: name,
      operator: fc.constantFrom('gt' as const, 'lt' as const),
      values: fc.nat(9).map((n) => [String(n)]),
    }),
  )

  it('reads back what it was written as', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
        expect(parseLabelSelector(formatLabelSelector(requirements))).toEqual(requirements)
      }),
    )
  })

  it('never throws anything but its own error, whatever it is given', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), (text) => {
        try {
          parseLabelSelector(text)
        } catch (error) {
          expect(error).toBeInstanceOf(SelectorError)
        }
      }),
    )
  })

  it('made of a Service’s selector asks for every label', () => {
    const selector = selectorFromLabels({ app: 'web', tier: 'a' })
    expect(matchesLabels(selector, { app: 'web', tier: 'a', more: 'x' })).toBe(true)
    expect(matchesLabels(selector, { app: 'web' })).toBe(false)
  })
})
