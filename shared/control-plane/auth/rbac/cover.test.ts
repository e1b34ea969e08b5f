import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestAttributes } from '../../apiserver/registry/access.ts'
import { uncovered } from './cover.ts'
import { allows, type Rule } from './rule.ts'

const rule = (rule: Partial<Rule>): Rule => ({
  verbs: ['get'],
  apiGroups: [''],
  resources: ['pods'],
  resourceNames: [],
  nonResourceURLs: [],
  ...rule,
})

const some = <T>(...values: T[]): fc.Arbitrary<T[]> => fc.subarray(values, { minLength: 1 })
const rules = fc.array(
  fc.record({
    verbs: some('get', 'list', '*'),
    apiGroups: some('', 'apps', '*'),
    resources: some('pods', 'pods/log', '*/log', '*'),
    resourceNames: fc.subarray(['a', 'b']),
    nonResourceURLs: fc.constant([]),
  }),
  { maxLength: 3 },
)
const requests: RequestAttributes[] = ['get', 'list', 'watch'].flatMap((verb) =>
  ['', 'apps', 'batch'].flatMap((group) =>
    ['pods', 'nodes'].flatMap((resource) =>
      ['', 'log', 'status'].flatMap((subresource) =>
        ['a', 'c', ''].map((name) => ({
          user: { username: 'u', groups: [] },
          path: '',
          resourceRequest: true,
          version: 'v1',
          namespace: '',
          verb,
          group,
          resource,
          subresource,
          name,
        })),
      ),
    ),
  ),
)

describe('what rules cover of others', () => {
  it('is everything that several of them hold together', () => {
    const held = [rule({ verbs: ['get'] }), rule({ verbs: ['list'] })]
    expect(uncovered(held, [rule({ verbs: ['get', 'list'] })])).toEqual([])
    expect(uncovered(held, [rule({ verbs: ['get', 'watch'] })])).toEqual([rule({ verbs: ['watch'] })])
  })

  it('is never a star by its parts', () => {
    expect(uncovered([rule({ verbs: ['get', 'list'] })], [rule({ verbs: ['*'] })])).toHaveLength(1)
  })

  it('is not all names by some of them', () => {
    expect(uncovered([rule({ resourceNames: ['a'] })], [rule({})])).toHaveLength(1)
    expect(uncovered([rule({})], [rule({ resourceNames: ['a'] })])).toEqual([])
  })

  it('is a URL by the one or by the prefix that ends in a star', () => {
    const url = (text: string): Rule => rule({ apiGroups: [], resources: [], nonResourceURLs: [text] })
    expect(uncovered([url('/api/*')], [url('/api/v1')])).toEqual([])
    expect(uncovered([url('/api')], [url('/api/*')])).toHaveLength(1)
  })

  it('never lets anybody grant a request that they may not make', () => {
    fc.assert(
      fc.property(rules, rules, (held, wanted) => {
        fc.pre(uncovered(held, wanted).length === 0)
        for (const request of requests) {
          const granted = wanted.some((rule) => allows(rule, request))
          if (granted) expect(held.some((rule) => allows(rule, request))).toBe(true)
        }
      }),
    )
  })
})
