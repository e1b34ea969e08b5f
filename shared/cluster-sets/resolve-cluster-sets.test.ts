import { describe, expect, it } from 'vitest'
import type { ClusterSetConfig } from '../settings/index.ts'
import { clusterSetProblems, resolveClusterSets } from './resolve-cluster-sets.ts'

const set = (name: string, ...clusters: ClusterSetConfig['clusters']): ClusterSetConfig => ({
  name,
  clusters,
  namespaces: ['*'],
})
const byTag = (tagKey: string, tagValue?: string) => ({
  tagKey,
  role: 'both' as const,
  ...(tagValue !== undefined && { tagValue }),
})
const byName = (name: string, id?: string) => ({
  name,
  role: 'both' as const,
  ...(id !== undefined && { id }),
})

describe('clusters of a set', () => {
  it('are those of a name, a pattern or a tag, by the first entry that fits', () => {
    const [prod] = resolveClusterSets(
      [
        set(
          'prod',
          { ...byName('eu-1'), role: 'import' },
          byName('eu-*'),
          byTag('set', 'prod'),
          byTag('any'),
        ),
      ],
      [
        { name: 'eu-1' },
        { name: 'eu-2' },
        { name: 'us-1', tags: { set: 'prod' } },
        { name: 'us-2', tags: { set: 'test' } },
        { name: 'us-3', tags: { any: '' } },
      ],
    )
    expect(prod?.members.map(({ cluster, role }) => [cluster, role])).toEqual([
      ['eu-1', 'import'],
      ['eu-2', 'both'],
      ['us-1', 'both'],
      ['us-3', 'both'],
    ])
  })

  it('have a problem where two sets claim one, an id is taken or no label, or two have one name', () => {
    const sets = resolveClusterSets(
      [set('a', byTag('a'), byName('eu_1'), byName('eu-2', 'x'), byName('x')), set('b', byTag('b'))],
      [
        { name: 'both', tags: { a: '', b: '' } },
        { name: 'eu_1' },
        { name: 'eu-2' },
        { name: 'x' },
        { name: 'twin', tags: { b: '' }, problem: 'two clusters are called "twin"' },
      ],
    )
    const problems = sets.map(({ members }) => members.map(({ problem = '' }) => problem))
    const claimed =
      'cluster "both" is in the sets "a" by the tag a and "b" by the tag b; a cluster is in one set at most: change an entry of the sets, or its tags'
    const taken = 'id "x" is that of "eu-2" and "x"; ids tell clusters apart: give one of them another'
    expect(problems).toEqual([
      [claimed, expect.stringContaining('its id "eu_1" must be a DNS label'), taken, taken],
      [claimed, 'two clusters are called "twin"'],
    ])
  })

  it('may leave a set that another one has taken them from', () => {
    const leaving = { name: '*', role: 'leave' } as const
    const sets = resolveClusterSets(
      [set('a', byTag('set', 'a'), leaving), set('b', byTag('set', 'b'), leaving)],
      [{ name: 'eu-1', tags: { set: 'b' } }, { name: 'us-1' }],
    )
    const roles = sets.map(({ members }) => members.map(({ role, problem }) => problem ?? role))
    expect(roles).toEqual([
      ['leave', 'leave'],
      ['both', 'leave'],
    ])
  })

  it('that are not there are reported, with what was most likely meant', () => {
    const known = [{ name: 'eu-1' }]
    expect(clusterSetProblems([set('a', byName('eu-2'), byTag('team'), byName('eu-*'))], known)).toEqual([
      'set "a": eu-2 is not one of the clusters (eu-1); did you mean eu-1?',
      expect.stringContaining('set "a": no cluster has the tag team'),
    ])
  })
})
