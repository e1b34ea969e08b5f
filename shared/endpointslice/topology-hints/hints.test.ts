import { describe, expect, it } from 'vitest'
import { plan } from '../index.ts'
import { aNode, aPod, applied, aService, endpointsOf, NODES, podsNumbered, writes } from '../plan.fixtures.ts'
import type { Endpoint, EndpointSlice, Node, Pod, Service } from '../types.ts'

const AUTO = { annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } }
const auto = aService({}, AUTO)
const plain = aService()
const close = aService({ trafficDistribution: 'PreferClose' })

const planned = (
  service: Service,
  pods: readonly Pod[],
  slices: readonly EndpointSlice[] = [],
  nodes = NODES,
) => plan({ service, pods, nodes, slices }, { maxEndpointsPerSlice: 10 })
const publish = (service: Service, pods: readonly Pod[]) => applied([], planned(service, pods))
const hintsOf = (slices: readonly EndpointSlice[]) => endpointsOf(slices).map(({ hints }) => hints)
const hintedZones = (slices: readonly EndpointSlice[]) =>
  endpointsOf(slices)
    .map(({ hints }) => hints?.forZones?.[0]?.name ?? '-')
    .sort()

function tampered(slices: readonly EndpointSlice[], change: (endpoint: Endpoint) => void): EndpointSlice[] {
  const copy = structuredClone([...slices])
  for (const endpoint of endpointsOf(copy)) change(endpoint)
  return copy
}

/** Makes so many pods in each zone. */
const spread = (inA: number, inB: number): Pod[] => [
  ...podsNumbered(inA),
  ...podsNumbered(inB, inA, { node: 'node-b' }),
]

describe('distribution hints', () => {
  it('that are null are none: nothing is written where none are asked for', () => {
    const pods = podsNumbered(2)
    const slices = tampered(publish(plain, pods), (endpoint) => {
      endpoint.hints = null as unknown as undefined
    })
    expect(writes(planned(plain, pods, slices))).toEqual([0, 0, 0])
  })

  it.each<[string, Endpoint['hints']]>([
    ['for one zone too many', { forZones: [{ name: 'zone-a' }, { name: 'zone-b' }] }],
    ['for a node that is not asked for', { forZones: [{ name: 'zone-a' }], forNodes: [{ name: 'node-a' }] }],
  ])('are written again where they are %s', (_, hints) => {
    const pods = podsNumbered(2)
    const slices = tampered(publish(close, pods), (endpoint) => {
      endpoint.hints = hints
    })
    const result = planned(close, pods, slices)
    expect(writes(result)).toEqual([0, 1, 0])
    expect(hintedZones(result.update)).toEqual(['zone-a', 'zone-a'])
    expect(hintsOf(result.update)[0]).not.toHaveProperty('forNodes')
  })

  it('are removed from every slice when the Service does not ask for them any more', () => {
    const pods = podsNumbered(15)
    const result = planned(plain, pods, publish(close, pods))
    expect(writes(result)).toEqual([0, 2, 0])
    expect(hintedZones(result.update)).toEqual(Array(15).fill('-'))
    expect(result.events).toEqual([])
  })
})

describe('topology hints', () => {
  it('are reported in an event when they appear, once for both address types, and not again', () => {
    const dual = aService({ ipFamilies: ['IPv4', 'IPv6'] }, AUTO)
    const pods = ['node-a', 'node-b'].map((node, index) =>
      aPod(node, { node, ips: [`10.0.0.${index}`, `fd00::${index + 1}`] }),
    )
    const first = planned(dual, pods)
    expect(first.events).toEqual([
      {
        type: 'Normal',
        reason: 'TopologyAwareHintsEnabled',
        message: 'Topology Aware Hints has been enabled, addressType: IPv4',
      },
    ])
    expect(planned(dual, pods, applied([], first)).events).toEqual([])
  })

  it('are of ready endpoints: others have none, and do not count', () => {
    const unready = podsNumbered(4, 8, { ready: false })
    const slices = publish(auto, [...spread(6, 2), ...unready])
    const hinted = endpointsOf(slices).filter(({ hints }) => hints !== undefined)
    expect(hinted.map(({ conditions }) => conditions?.ready)).toEqual(Array(8).fill(true))
    expect(hintedZones(slices).filter((zone) => zone === 'zone-b')).toHaveLength(4)
    const again = planned(auto, [...spread(6, 2), ...unready], slices)
    expect(writes(again)).toEqual([0, 0, 0])
    expect(again.events).toEqual([])
  })

  it('for one zone that is gone are no hints, be they of a single endpoint', () => {
    const pods = spread(6, 6)
    const slices = publish(auto, pods)
    const [slice] = slices
    if (slice?.endpoints?.[0]) slice.endpoints[0].hints = { forZones: [{ name: 'gone' }] }
    const after = planned(auto, pods, slices)
    expect(writes(after)).toEqual([0, 1, 0])
    expect(hintedZones(applied(slices, after))).not.toContain('gone')
  })

  it('are written again in the slices where they are not complete', () => {
    const pods = spread(10, 10)
    const slices = publish(auto, pods)
    const [slice] = slices
    if (slice?.endpoints?.[0]) delete slice.endpoints[0].hints
    expect(writes(planned(auto, pods, slices))).toEqual([0, 1, 0])
  })

  it.each<[string, Pod[], readonly Node[], string]>([
    [
      'a node tells no CPU',
      spread(2, 2),
      [...NODES, aNode('node-c', 'zone-a', '0')],
      'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes',
    ],
  ])('are removed with a warning when %s', (_, pods, nodes, reason) => {
    const slices = publish(close, pods)
    const result = planned(auto, pods, slices, nodes)
    expect(hintedZones(result.update)).toEqual(pods.map(() => '-'))
    expect(result.events).toEqual([
      { type: 'Warning', reason: 'TopologyAwareHintsDisabled', message: `${reason}, addressType: IPv4` },
    ])
  })

  describe('with an endpoint without a zone', () => {
    const service = aService({ publishNotReadyAddresses: true }, AUTO)
    const pods = [...spread(3, 2), aPod('homeless', { node: 'gone', ips: ['10.9.9.9'] })]

    it('write nothing the next time', () => {
      expect(writes(planned(service, pods, publish(service, pods)))).toEqual([0, 0, 0])
    })
  })
})
