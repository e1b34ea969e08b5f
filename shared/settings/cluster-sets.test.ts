import { describe, expect, it } from 'vitest'
import { clusterSetsProblem, parseClusterSets } from './cluster-sets.ts'

const clusters = [{ name: 'eu-1' }]

describe('the setting clusterSets', () => {
  it('may be none', () => {
    expect(clusterSetsProblem('none')).toBeUndefined()
    expect(parseClusterSets('none')).toEqual([])
  })

  it('fills in the role and the namespaces', () => {
    const text = JSON.stringify([
      { name: 'prod', clusters: [...clusters, { tagKey: 'team', tagValue: 'a' }] },
    ])
    expect(clusterSetsProblem(text)).toBeUndefined()
    expect(parseClusterSets(text)).toEqual([
      {
        name: 'prod',
        clusters: [
          { name: 'eu-1', role: 'both' },
          { tagKey: 'team', tagValue: 'a', role: 'both' },
        ],
        namespaces: ['*'],
      },
    ])
  })

  it.each<[wrong: unknown, problem: string]>([
    ['{}', '"{}" is not a JSON list of sets, such as [{"name":"prod",'],
    ['prod', '"prod" is not a JSON list of sets'],
    [[{ clusters }], 'set 1 of the list: name: must be given'],
    [[null], 'set 1 of the list: '],
    [[{ name: 'My', clusters }], 'set "My": name: must be a DNS label, such as "prod"'],
    [[{ name: 'a' }], 'set "a": clusters: must be a list of clusters'],
    [[{ name: 'a', clusters: [] }], 'set "a": clusters: must name at least one cluster'],
    [[{ name: 'a', clusters: [{}] }], 'set "a": clusters 1: must have a name, or a tagKey'],
    [
      [{ name: 'a', clusters: [{ name: 'b', tagKey: 'c' }] }],
      'set "a": clusters 1: has a name and a tagKey: leave one of the two out',
    ],
    [[{ name: 'a', clusters: [{ name: 'b', tagValue: 'c' }] }], 'has a tagValue without a tagKey'],
    [[{ name: 'a', clusters: [{ name: 'b-*', id: 'c' }] }], 'has an id for clusters that may be several'],
    [
      [{ name: 'a', clusters: [{ name: 'b', role: 'exports' }] }],
      'clusters 1 role: "exports" is not one of both, export, import, leave; did you mean export?',
    ],
    [[{ name: 'a', clusters, namespaces: [] }], 'set "a": namespaces: must name at least one, or "*"'],
    [[{ name: 'a', clusters, namespaces: ['shop=export'] }], 'or "shop=leave"'],
    [[{ name: 'a', clusters, namespaces: ['Shop'] }], 'namespaces 1: must be a pattern of namespaces'],
    [[{ name: 'a', clusters, unreachableCluster: 'forget' }], 'is not one of keep, expire, drop'],
    [[{ name: 'a', clusters, unreachableClusterExpiry: 0 }], 'is not a whole number of seconds from 1'],
    [
      [
        { name: 'a', clusters },
        { name: 'a', clusters: [{ name: 'us-1' }] },
      ],
      'set "a": the name is given 2 times',
    ],
    [
      [
        { name: 'a', clusters },
        { name: 'b', clusters },
      ],
      'clusters "eu-1" are in the sets "a" and "b"; a cluster is in one set at most',
    ],
  ])('is refused with what to do: %j', (wrong, problem) => {
    const text = typeof wrong === 'string' ? wrong : JSON.stringify(wrong)
    expect(clusterSetsProblem(text)).toContain(problem)
  })
})
