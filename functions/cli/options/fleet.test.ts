import { describe, expect, it } from 'vitest'
import { UsageError } from '../usage.ts'
import { assertNoShadowOfFleet, clusterSetOfFlags, type FleetOptions } from './fleet.ts'

const CLUSTERS = ['eu-1', 'us-1']
const flags = (options: Partial<FleetOptions> = {}): FleetOptions => ({
  fleet: true,
  fleetNamespaces: '*',
  fleetRole: [],
  fleetId: [],
  ...options,
})

describe('the flags of a cluster set', () => {
  it('are one set of all clusters, which export and import by their contexts', () => {
    expect(clusterSetOfFlags(flags(), CLUSTERS)).toEqual({
      name: 'default',
      namespaces: ['*'],
      members: CLUSTERS.map((cluster) => ({ cluster, id: cluster, role: 'both' })),
    })
  })

  it('say otherwise where they are given', () => {
    const arn = 'arn:aws:eks:eu-west-1:123456789012:cluster/eu=1'
    const options = flags({
      fleet: 'prod',
      fleetNamespaces: 'shop, team-*',
      fleetRole: ['us-1=import'],
      fleetId: [`${arn}=eu`],
    })
    expect(clusterSetOfFlags(options, [arn, 'us-1'])).toEqual({
      name: 'prod',
      namespaces: ['shop', 'team-*'],
      members: [
        { cluster: arn, id: 'eu', role: 'both' },
        { cluster: 'us-1', id: 'us-1', role: 'import' },
      ],
    })
  })

  it('are no set without --fleet', () => {
    const { fleet: _, ...others } = flags()
    expect(clusterSetOfFlags(others, CLUSTERS)).toBeUndefined()
  })

  it.each<[wrong: Partial<FleetOptions> & { clusters?: readonly string[] }, message: string]>([
    [{ fleet: 'My Set' }, '--fleet: set "My Set": its name must be a DNS label, such as "prod"'],
    [
      { clusters: ['admin@eu'] },
      '--fleet: "admin@eu" cannot be the id of a cluster, as it is no DNS label; give one with --fleet-id admin@eu=ID',
    ],
    [
      { fleetId: ['eu-1=x', 'us-1=x'] },
      '--fleet: id "x" is that of "eu-1" and "us-1"; ids tell clusters apart',
    ],
    [{ fleetRole: ['eu-1=reader'] }, '--fleet-role: eu-1=reader: the role must be both, export, import'],
    [
      { fleetRole: ['eu-2=export'] },
      '--fleet-role: eu-2 is none of the clusters (eu-1, us-1); did you mean eu-1?',
    ],
    [{ fleetRole: ['export'] }, '--fleet-role: "export" must be CONTEXT=VALUE, such as eu-1=role'],
    [{ fleetId: ['eu-1='] }, '--fleet-id: "eu-1=" must be CONTEXT=VALUE, such as eu-1=id'],
    [{ fleetId: ['eu-1=a', 'eu-1=b'] }, '--fleet-id: eu-1 is given twice'],
    [
      { fleetRole: ['eu-1=export', 'us-1=export'] },
      '--fleet: set "default": no cluster imports; let one do so',
    ],
    [
      { fleetRole: ['eu-1=import', 'us-1=import'] },
      '--fleet: set "default": no cluster exports; let one do so',
    ],
    [
      { fleetNamespaces: 'Shop' },
      '--fleet: set "default": "Shop" is no pattern of namespaces, such as "shop" or "shop-*"',
    ],
  ])('are refused with what to do: %j', ({ clusters = CLUSTERS, ...options }, message) => {
    expect(() => clusterSetOfFlags(flags(options), clusters)).toThrow(new UsageError(message))
  })

  it('are refused where there is no set that they are about', () => {
    const { fleet: _, ...others } = flags({ fleetId: ['eu-1=x'] })
    expect(() => clusterSetOfFlags(others, CLUSTERS)).toThrow(
      '--fleet-id is about a cluster set: give --fleet as well',
    )
  })

  it('are refused beside --shadow, as a set would be written', () => {
    expect(() => assertNoShadowOfFleet({ fleet: true }, { shadow: true })).toThrow(
      '--fleet: a cluster set has no shadow yet, and a shadow writes nothing; leave one of the two out',
    )
    assertNoShadowOfFleet({ fleet: true }, { shadow: false })
    assertNoShadowOfFleet({}, { shadow: true })
  })
})
