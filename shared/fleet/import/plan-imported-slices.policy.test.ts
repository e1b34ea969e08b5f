import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import { aService, minuteOf } from '../merging/merge-exports.fixtures.ts'
import type { FleetPolicy } from '../policy/fleet-policy.ts'
import { type ImportedSlicesInput, planImportedSlices } from './plan-imported-slices.ts'

const PORTS = [{ name: 'http', port: 80, protocol: 'TCP' }]

const sourceSlice = (addresses: readonly (readonly [string, boolean])[]): EndpointSlice => ({
  metadata: { name: 'web-1', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  endpoints: addresses.map(([address, ready]) => ({ addresses: [address], conditions: { ready } })),
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
})

const inputOf = (
  clusters: Readonly<Record<string, readonly (readonly [string, boolean])[]>>,
  more: Partial<ImportedSlicesInput> = {},
): ImportedSlicesInput => ({
  set: 'prod',
  home: 'eu',
  import: {
    apiVersion: 'multicluster.x-k8s.io/v1beta1',
    metadata: { name: 'web', namespace: 'shop', uid: 'import', creationTimestamp: minuteOf(0) },
  },
  derived: undefined,
  ports: PORTS,
  sources: Object.entries(clusters).map(([cluster, addresses]) => ({
    cluster,
    service: aService(),
    slices: [sourceSlice(addresses)],
  })),
  frozen: new Set(),
  slices: [],
  takenNames: [],
  options: { maxEndpointsPerSlice: 3 },
  filter: (source) => source,
  ...more,
})

const conditions = fc.array(fc.boolean(), { maxLength: 8 })
const clustersArbitrary = fc
  .record({ ap: conditions, eu: conditions, us: conditions })
  .map((states) =>
    Object.fromEntries(
      Object.entries(states).map(([cluster, ready], at) => [
        cluster,
        ready.map((isReady, number) => [`10.${at}.0.${number + 1}`, isReady] as const),
      ]),
    ),
  )

const written = ({
  create,
  update,
}: {
  create: EndpointSlice[]
  update: EndpointSlice[]
}): EndpointSlice[] => [...create, ...update]

describe('slices of an import', () => {
  it('with a policy that leaves nothing out are those without one, byte for byte', () => {
    const all: FleetPolicy = { weights: new Map([['us', 100]]) }
    fc.assert(
      fc.property(clustersArbitrary, clustersArbitrary, (before, after) => {
        const first = planImportedSlices(inputOf(before))
        expect(first).not.toHaveProperty('choices')
        const { choices, ...same } = planImportedSlices(inputOf(before, { policy: all }))
        expect(choices).toBeDefined()
        expect(JSON.stringify(same)).toBe(JSON.stringify(first))
        const slices = first.create
        const { choices: _, ...next } = planImportedSlices(inputOf(after, { policy: all, slices }))
        expect(JSON.stringify(next)).toBe(JSON.stringify(planImportedSlices(inputOf(after, { slices }))))
      }),
    )
  })

  it('of one cluster are not written when a share of another one moves', () => {
    const policy: FleetPolicy = { weights: new Map([['us', 50]]) }
    const states = (count: number, subnet: number) =>
      Array.from({ length: count }, (_, at) => [`10.${subnet}.0.${at + 1}`, true] as const)
    const slices = planImportedSlices(inputOf({ eu: states(5, 1), us: states(8, 2) }, { policy })).create
    const moved = planImportedSlices(inputOf({ eu: states(5, 1), us: states(9, 2) }, { policy, slices }))
    const sources = written(moved).map(
      ({ metadata }) => metadata?.labels?.['multicluster.kubernetes.io/source-cluster'],
    )
    expect(new Set(sources)).toEqual(new Set(['us']))
    expect(moved.delete).toEqual([])
  })

  it('of a cluster that gives nothing by a policy are a placeholder, as of one without endpoints', () => {
    const own: FleetPolicy = { own: { failoverBelow: 50, returnAt: 75 }, weights: new Map() }
    const eu = [['10.1.0.1', true]] as const
    const left = planImportedSlices(inputOf({ eu, us: [['10.2.0.1', true]] }, { policy: own }))
    const without = planImportedSlices(inputOf({ eu, us: [] }))
    expect(left.create).toEqual(without.create)
  })

  it('count no address as ready that may not be published', () => {
    const policy: FleetPolicy = { own: { failoverBelow: 0, returnAt: 50 }, weights: new Map() }
    const clusters = { eu: [['10.1.0.1', true]], us: [['10.2.0.1', true]] } as const
    const { create } = planImportedSlices(
      inputOf(clusters, {
        policy,
        filter: (source) => ({
          ...source,
          *endpoints(service, skip) {
            for (const endpoint of source.endpoints(service, skip))
              if (endpoint.addresses[0] !== '10.1.0.1') yield endpoint
          },
        }),
      }),
    )
    const addresses = create.flatMap(({ endpoints }) => (endpoints ?? []).flatMap((each) => each.addresses))
    expect(addresses).toEqual(['10.2.0.1'])
  })
})
