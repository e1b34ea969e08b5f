import { describe, expect, it } from 'vitest'
import { readContext } from '../context.ts'
import { checkDeployment, type FleetInput } from './index.ts'

const EU = { name: 'eu-1', kind: 'eks', clusterName: 'prod', region: 'eu-west-1' } as const
const US = { ...EU, name: 'us-1', region: 'us-east-1' } as const
const FOUND = { kind: 'discover', region: 'eu-west-1', tagKey: 'sliceflow.dev/manage' } as const

const setsOf = (fleet: FleetInput | undefined): unknown => {
  const { settings } = checkDeployment({ clusters: [EU, US], ...(fleet && { fleet }) })
  return settings.clusterSets === 'none' ? undefined : JSON.parse(settings.clusterSets)
}

describe('the prop fleet', () => {
  it('makes one set of all clusters, or those that it names, and none where it is absent', () => {
    expect(setsOf(undefined)).toBeUndefined()
    expect(setsOf({})).toEqual([{ name: 'default', clusters: [{ name: '*' }] }])
    expect(setsOf({ namespaces: ['shop'] })).toMatchObject([{ name: 'default', namespaces: ['shop'] }])
    const sets = [{ name: 'prod', clusters: [{ name: 'eu-1' }, { name: 'us-1', role: 'import' as const }] }]
    expect(setsOf({ sets })).toEqual(sets)
  })

  it.each<[string, FleetInput, string]>([
    [
      'a cluster that there is not',
      { sets: [{ name: 'prod', clusters: [{ name: 'eu-1' }, { name: 'us-2' }] }] },
      'fleet (clusterSets): set "prod": us-2 is not one of the clusters (eu-1, us-1)',
    ],
    [
      'a set that nobody exports to',
      { sets: [{ name: 'prod', clusters: [{ name: '*', role: 'import' }] }] },
      'fleet (clusterSets): set "prod": no cluster exports; let one do so',
    ],
    ['a namespace that is none', { namespaces: ['Shop'] }, 'clusterSets: set "default": namespaces'],
    [
      'namespaces beside sets',
      { namespaces: ['shop'], sets: [{ name: 'prod', clusters: [{ name: '*' }] }] },
      'fleet: with sets, namespaces belong to each set; move them there',
    ],
  ])('is refused before CDK starts with %s', (_, fleet, message) => {
    expect(() => setsOf(fleet)).toThrow(message)
  })

  it('is refused beside the setting that says the same', () => {
    const settings = { clusterSets: '[{"name":"prod","clusters":[{"name":"*"}]}]' }
    expect(() => checkDeployment({ clusters: [EU, US], settings, fleet: {} })).toThrow(
      'fleet: the setting clusterSets defines the sets already; leave one of the two out',
    )
  })

  it('is not judged by clusters that a tag will find', () => {
    const fleet = { sets: [{ name: 'prod', clusters: [{ tagKey: 'set', tagValue: 'prod' }] }] }
    expect(() => checkDeployment({ clusters: [FOUND], fleet })).not.toThrow()
  })

  it('can be said by the context, and so by a flag', () => {
    const clusters = JSON.stringify([EU, US])
    expect(readContext({ clusters, fleet: 'shop, team-*' }).fleet).toEqual({ namespaces: ['shop', 'team-*'] })
    expect(readContext({ clusters }).fleet).toBeUndefined()
  })
})
