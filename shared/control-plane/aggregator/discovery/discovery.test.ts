import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inOrder } from '../aggregation.ts'
import { isAggregated, readAggregated, readLegacy } from './read-discovery.ts'

const priority = fc.integer({ min: 1, max: 3 })
const ranked = fc.uniqueArray(
  fc.record({
    group: fc.constantFrom('a', 'b', 'c', 'd'),
    version: fc.constantFrom('v1', 'v2', 'v1beta1', 'v10'),
    groupPriorityMinimum: priority,
    versionPriority: priority,
  }),
  { selector: ({ group, version }) => `${version}.${group}` },
)

describe('the order of groups', () => {
  it('does not depend on the order of their APIServices', () => {
    fc.assert(
      fc.property(ranked, fc.nat(), (all, turn) => {
        const turned = [...all.slice(turn % (all.length || 1)), ...all.slice(0, turn % (all.length || 1))]
        expect(inOrder(turned)).toEqual(inOrder(all))
      }),
    )
  })

  it('has every version once, and no group before one of a higher priority', () => {
    fc.assert(
      fc.property(ranked, (all) => {
        const groups = inOrder(all)
        const listed = groups.flatMap(({ group, versions }) =>
          versions.map((version) => `${version}.${group}`),
        )
        expect(listed.toSorted()).toEqual(all.map(({ group, version }) => `${version}.${group}`).toSorted())
        const highest = groups.map(({ group }) =>
          Math.max(...all.filter((item) => item.group === group).map((item) => item.groupPriorityMinimum)),
        )
        expect(highest).toEqual(highest.toSorted((a, b) => b - a))
      }),
    )
  })

  it('is that of Kubernetes’ version names, where the priority is the same', () => {
    const versions = ['v1beta1', 'v1', 'v10', 'v2']
    const all = versions.map((version) => ({
      group: 'a',
      version,
      groupPriorityMinimum: 1,
      versionPriority: 1,
    }))
    expect(inOrder(all)).toEqual([{ group: 'a', versions: ['v10', 'v2', 'v1', 'v1beta1'] }])
  })
})

describe('what another server says', () => {
  it('is read without failure and in one shape, whatever JSON object it is', () => {
    const entry = fc.record(
      { resource: fc.anything(), verbs: fc.anything(), scope: fc.anything(), subresources: fc.anything() },
      { requiredKeys: [] },
    )
    const document = fc.record({
      items: fc.oneof(
        fc.jsonValue(),
        fc.array(
          fc.record({
            metadata: fc.oneof(fc.jsonValue(), fc.record({ name: fc.string() })),
            versions: fc.array(
              fc.record({ version: fc.string(), resources: fc.array(fc.oneof(entry, fc.jsonValue())) }),
            ),
          }),
        ),
      ),
    })
    fc.assert(
      fc.property(document, (value) => {
        for (const resources of readAggregated(JSON.stringify(value)).values()) {
          for (const { resource, verbs, scope, responseKind } of resources) {
            expect(resource).toBeTypeOf('string')
            expect(Array.isArray(verbs)).toBe(true)
            expect(['Namespaced', 'Cluster']).toContain(scope)
            expect(responseKind).toEqual({
              group: expect.any(String),
              version: expect.any(String),
              kind: expect.any(String),
            })
          }
        }
      }),
      { numRuns: 30 },
    )
  })

  it('in an older document has its subresources below their resources', () => {
    const resources = [
      { name: 'zs/scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['get'] },
      { name: 'zs', singularName: 'z', namespaced: true, kind: 'Z', verbs: ['list'] },
      { name: 'zszs/x', kind: 'X', verbs: ['get'] },
    ]
    expect(readLegacy(JSON.stringify({ resources }))).toEqual([
      {
        resource: 'zs',
        responseKind: { group: '', version: '', kind: 'Z' },
        scope: 'Namespaced',
        singularResource: 'z',
        verbs: ['list'],
        subresources: [
          {
            subresource: 'scale',
            responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
            verbs: ['get'],
          },
        ],
      },
    ])
  })

  it.each([
    ['application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList', true],
    ['application/json; g=apidiscovery.k8s.io; v=v2beta1; as=APIGroupDiscoveryList', true],
    ['application/json', false],
    ['text/html;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList', false],
  ])('as %s is the document of all resources: %s', (contentType, expected) => {
    expect(isAggregated(contentType)).toBe(expected)
  })
})
