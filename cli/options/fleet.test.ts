import { describe, expect, it } from 'vitest'
import { NO_CLUSTER_SETS } from '../../shared/settings/index.ts'
import { UsageError } from '../usage.ts'
import { clusterSetsOfFlags, type FleetFlags, loneSets } from './fleet.ts'

const CLUSTERS = ['eu-1', 'us-1']
const NONE = NO_CLUSTER_SETS
const flags = (options: Partial<FleetFlags> = {}): FleetFlags => ({
  fleet: true,
  fleetNamespaces: '*',
  fleetRole: [],
  fleetId: [],
  fleetProperty: [],
  ...options,
})

describe('the flags of a cluster set', () => {
  it('are one set of all clusters, which export and import by their contexts', () => {
    expect(clusterSetsOfFlags(flags(), NONE, CLUSTERS)).toMatchObject([
      {
        name: 'default',
        namespaces: ['*'],
        members: CLUSTERS.map((cluster) => ({ cluster, id: cluster, role: 'both' })),
      },
    ])
  })

  it('warn of a set of one cluster, and of no larger one', () => {
    expect(loneSets(clusterSetsOfFlags(flags(), NONE, ['eu-1']))).toEqual([
      expect.stringMatching(
        /^the cluster set default has one cluster, eu-1: .* name further ones with --context$/,
      ),
    ])
    expect(loneSets(clusterSetsOfFlags(flags(), NONE, CLUSTERS))).toEqual([])
  })

  it('say otherwise where they are given', () => {
    const arn = 'arn:aws:eks:eu-west-1:123456789012:cluster/eu=1'
    const options = flags({
      fleet: 'prod',
      fleetNamespaces: 'shop, team-*',
      fleetRole: ['us-1=import'],
      fleetId: [`${arn}=eu`],
    })
    expect(clusterSetsOfFlags(options, NONE, [arn, 'us-1'])).toMatchObject([
      {
        name: 'prod',
        namespaces: ['shop', 'team-*'],
        members: [
          { cluster: arn, id: 'eu', role: 'both' },
          { cluster: 'us-1', id: 'us-1', role: 'import' },
        ],
      },
    ])
  })

  it('are no set without --fleet', () => {
    const { fleet: _, ...others } = flags()
    expect(clusterSetsOfFlags(others, NONE, CLUSTERS)).toEqual([])
  })

  it.each<[wrong: Partial<FleetFlags> & { clusters?: readonly string[] }, message: string]>([
    [
      { clusters: ['admin@eu'] },
      '--fleet: "admin@eu" cannot be the id of a cluster, as it is not a DNS label; give one with --fleet-id admin@eu=ID',
    ],
    [
      { fleetId: ['eu-1=x', 'us-1=x'] },
      '--fleet: id "x" is that of "eu-1" and "us-1"; ids tell clusters apart: give one of them another',
    ],
    [
      { fleetRole: ['eu-1=reader'] },
      '--fleet-role: eu-1=reader: the role must be both, export, import, leave',
    ],
    [
      { fleetRole: ['eu-2=export'] },
      '--fleet-role: eu-2 is not one of the clusters (eu-1, us-1); did you mean eu-1?',
    ],
    [{ fleetRole: ['export'] }, '--fleet-role: "export" must be CONTEXT=VALUE, such as eu-1=role'],
    [{ fleetId: ['eu-1='] }, '--fleet-id: "eu-1=" must be CONTEXT=VALUE, such as eu-1=id'],
    [{ fleetId: ['eu-1=a', 'eu-1=b'] }, '--fleet-id: eu-1 is given twice'],
    [
      { fleetProperty: ['eu-1=region=eu'] },
      '--fleet-property: nothing reads properties; give --fleet-cluster-selection as well',
    ],
    [
      { fleetClusterSelection: true as const, fleetProperty: ['eu-1=region'] },
      '--fleet-property: "eu-1=region" must be CONTEXT=NAME=VALUE of one of the clusters (eu-1, us-1), such as eu-1=region=eu',
    ],
    [
      { fleetClusterSelection: true as const, fleetProperty: ['eu-1=Region=eu'] },
      '--fleet: set "default": clusters 1 properties: must have names of properties before their colons, such as {"region":"eu"}',
    ],
    [
      { fleetRole: ['eu-1=export', 'us-1=export'] },
      '--fleet: set "default": no cluster imports; let one do so',
    ],
    [
      { fleetRole: ['eu-1=import', 'us-1=import'] },
      '--fleet: set "default": no cluster exports; let one do so',
    ],
  ])('are refused with what to do: %j', ({ clusters = CLUSTERS, ...options }, message) => {
    expect(() => clusterSetsOfFlags(flags(options), NONE, clusters)).toThrow(new UsageError(message))
  })

  it('give clusters properties by which exports select them', () => {
    const contexts = ['eu=west', 'eu']
    const fleetProperty = ['eu=west=region=a=b', 'eu=region=c', 'eu=tier=gold']
    const ids = ['eu=west=west']
    const given = flags({ fleetClusterSelection: true, fleetProperty, fleetId: ids })
    expect(clusterSetsOfFlags(given, NONE, contexts)).toMatchObject([
      {
        clusterSelection: true,
        members: [{ properties: { region: 'a=b' } }, { properties: { region: 'c', tier: 'gold' } }],
      },
    ])
    expect(clusterSetsOfFlags(flags(), NONE, contexts.slice(1))[0]).not.toHaveProperty('clusterSelection')
  })

  it.each([
    ['--fleet-id', { fleetId: ['eu-1=x'] }],
    ['--fleet-namespaces', { fleetNamespaces: 'shop' }],
  ])('are refused where there is no set that they are about: %s', (flag, given) => {
    const { fleet: _, ...others } = flags(given)
    expect(() => clusterSetsOfFlags(others, NONE, CLUSTERS)).toThrow(
      `${flag} is about a cluster set: give --fleet as well`,
    )
  })

  const sets = (...given: readonly object[]) => JSON.stringify(given)
  const { fleet: _, ...unset } = flags()

  it('may be several sets, by names and patterns, each with what becomes of unreachable clusters', () => {
    const setting = sets(
      { name: 'prod', clusters: [{ name: 'us-1', role: 'import' }, { name: 'eu-*' }], namespaces: ['shop'] },
      {
        name: 'test',
        clusters: [{ name: 'test' }],
        unreachableCluster: 'expire',
        unreachableClusterExpiry: 60,
      },
    )
    expect(clusterSetsOfFlags(unset, setting, ['eu-1', 'eu-2', 'us-1', 'test', 'alone'])).toEqual([
      {
        name: 'prod',
        namespaces: ['shop'],
        members: [
          { cluster: 'eu-1', id: 'eu-1', role: 'both' },
          { cluster: 'eu-2', id: 'eu-2', role: 'both' },
          { cluster: 'us-1', id: 'us-1', role: 'import' },
        ],
        unreachable: {},
      },
      {
        name: 'test',
        namespaces: ['*'],
        members: [{ cluster: 'test', id: 'test', role: 'both' }],
        unreachable: { unreachableCluster: 'expire', unreachableClusterExpiry: 60 },
      },
    ])
  })

  it('of several sets are refused by the flag of the setting', () => {
    const wrong = sets({ name: 'a', clusters: [{ name: 'eu-2' }] })
    expect(() => clusterSetsOfFlags(unset, wrong, CLUSTERS)).toThrow(
      new UsageError(
        '--cluster-sets: set "a": eu-2 is not one of the clusters (eu-1, us-1); did you mean eu-1?',
      ),
    )
  })

  it('are given in one of the two ways', () => {
    const setting = sets({ name: 'a', clusters: [{ name: 'eu-1' }] })
    expect(() => clusterSetsOfFlags(flags(), setting, CLUSTERS)).toThrow(
      '--fleet: --cluster-sets (SLICEFLOW_CLUSTER_SETS) says which sets there are; leave one of the two out',
    )
  })
})
