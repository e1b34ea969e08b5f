import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../apimachinery/json/exact-numbers.ts'
import { resourceKey } from '../controller-client.ts'
import { Discovered } from './discovered.ts'

const VERBS = ['delete', 'get', 'list', 'watch']
const resource = (plural: string, kind: string, more: JsonObject = {}): JsonObject => ({
  resource: plural,
  responseKind: { kind },
  scope: 'Namespaced',
  verbs: VERBS,
  ...more,
})
const group = (name: string, ...versions: JsonObject[]): JsonObject => ({ metadata: { name }, versions })
const document = (...items: JsonObject[]): JsonObject => ({ kind: 'APIGroupDiscoveryList', items })
const keys = (discovered: Discovered): string[] =>
  discovered.resources.map((found) => `${resourceKey(found)} ${found.version}`)

describe('what a server says it has', () => {
  it('has a resource once, in the preferred version that has it, and kinds in every version', () => {
    const discovered = Discovered.read([
      document(
        group(
          'apps',
          { version: 'v1', resources: [resource('a', 'A')] },
          { version: 'v1beta1', resources: [resource('a', 'A'), resource('b', 'B')] },
        ),
      ),
    ])
    expect(keys(discovered)).toEqual(['a.apps v1', 'b.apps v1beta1'])
    expect(discovered.ofKind('apps/v1beta1', 'A')).toMatchObject({ version: 'v1beta1', plural: 'a' })
    expect(discovered.ofKind('apps/v1', 'B')).toBeUndefined()
  })

  it('keeps what was known of a group that is stale, and says that nobody knows', () => {
    const core = group('', { version: 'v1', resources: [resource('pods', 'Pod')] })
    const known = Discovered.read([
      document(core, group('example.com', { version: 'v1', resources: [resource('things', 'Thing')] })),
    ])
    const stale = document(core, group('example.com', { version: 'v1', freshness: 'Stale', resources: [] }))
    const now = Discovered.read([stale]).after(known)
    expect(now.undiscovered).toEqual(['example.com/v1'])
    expect(keys(now)).toEqual(['pods v1', 'things.example.com v1'])
    expect(now.ofKind('example.com/v1', 'Thing')).toBeDefined()
    // For longer than one poll.
    expect(keys(Discovered.read([stale]).after(now))).toEqual(['pods v1', 'things.example.com v1'])
  })

  it('knows nothing of a group that has always been stale', () => {
    const stale = group('example.com', { version: 'v1', freshness: 'Stale', resources: [] })
    const now = Discovered.read([document(stale)]).after(Discovered.read([document()]))
    expect(keys(now)).toEqual([])
    expect(now.undiscovered).toEqual(['example.com/v1'])
  })

  it('leaves out what is of no use, and verbs that it does not know', () => {
    const resources = [
      resource('', 'Nameless'),
      resource('kindless', ''),
      resource('odd', 'Odd', { verbs: ['get', 'dance', 7], scope: 'Cluster' }),
    ]
    const discovered = Discovered.read([document(group('', { version: 'v1', resources }))])
    expect(discovered.resources).toEqual([
      { group: '', version: 'v1', plural: 'odd', kind: 'Odd', namespaced: false, verbs: ['get'] },
    ])
  })

  it.each([[{ kind: 'APIVersions' }], [{}]])('is not the older form: %o', (answer) => {
    expect(() => Discovered.read([answer])).toThrow('no aggregated discovery')
  })
})
