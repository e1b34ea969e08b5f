import { describe, expect, it } from 'vitest'
import { type ExplainState, explain, plan } from '../index.ts'
import { aPod, applied, aService, NODES, podsNumbered } from '../plan.fixtures.ts'
import type { EndpointSlice } from '../types.ts'
import { LABEL_MANAGED_BY } from '../well-known.ts'
import type { SliceExplanation } from './types.ts'

const service = aService()
const pods = podsNumbered(3)
const [slice = {} as EndpointSlice] = applied([], plan({ service, pods, nodes: NODES, slices: [] }))

const explained = (
  slices: readonly EndpointSlice[],
  state: Partial<ExplainState> = {},
): readonly SliceExplanation[] => explain({ service, pods, nodes: NODES, slices, ...state }).slices

const named = (name: string, change: Partial<EndpointSlice> = {}): EndpointSlice => ({
  ...slice,
  ...change,
  metadata: { ...slice.metadata, name, ...change.metadata },
})

describe('each slice', () => {
  it('has a outcome of its own, by its name', () => {
    const malformed = named('a', { endpoints: 'none' as unknown as EndpointSlice['endpoints'] })
    const stale = named('b', { metadata: { ownerReferences: [] } })
    const edited = named('c', { endpoints: (slice.endpoints ?? []).slice(0, 2) })
    const right = named('d', { endpoints: (slice.endpoints ?? []).slice(2) })
    const reported = explained([malformed, stale, edited, right])
    expect(reported.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['a', 'Malformed'],
      ['b', 'Delete'],
      ['c', 'AsPlanned'],
      ['d', 'AsPlanned'],
    ])
    expect(reported[0]).toMatchObject({
      reasons: ['endpoints: expected a list, got string'],
      ports: [],
      endpoints: 0,
    })
    expect(reported[2]).toMatchObject({ reasons: [], differences: [] })
  })

  it('that is as planned stays so beside one that is updated', () => {
    const [first, ...others] = slice.endpoints ?? []
    const wrong = named('a', { endpoints: [{ addresses: [], ...first, zone: 'zone-z' }] })
    const right = named('b', { endpoints: others })
    expect(explained([right, wrong]).map(({ outcome }) => outcome)).toEqual(['AsPlanned', 'Update'])
  })

  it('is not malformed because a pod of its name is', () => {
    const broken = { ...aPod('d'), status: { podIPs: 'none' } } as never
    expect(explained([named('d')], { pods: [...pods, broken] })).toMatchObject([{ outcome: 'AsPlanned' }])
  })

  it('has figures of its ready endpoints and of those with hints', () => {
    const hints = { forZones: [{ name: 'zone-a' }] }
    const [first, second, ...others] = slice.endpoints ?? []
    const endpoints = [
      { addresses: ['10.0.0.0'], ...first, hints },
      { addresses: ['10.0.0.1'], ...second, conditions: { ready: false } },
      ...others,
    ]
    expect(explained([{ ...slice, endpoints }])).toMatchObject([{ endpoints: 3, ready: 2, hinted: 1 }])
  })
})

describe('why a slice', () => {
  const GONE = [{ addresses: ['10.9.9.9'] }]
  const OTHER_PORTS = [{ name: 'http', port: 1, protocol: 'TCP' }]

  it('goes is that its endpoints do, where pods of other ports have slices, too', () => {
    const ported = aService({ ports: [{ name: 'http', port: 80, targetPort: 'web' }] })
    const both = [8080, 9090].map((containerPort) =>
      aPod(`p-${containerPort}`, {
        spec: { containers: [{ name: 'c', ports: [{ name: 'web', containerPort }] }] },
      }),
    )
    const settled = applied([], plan({ service: ported, pods: both, nodes: NODES, slices: [] }))
    expect(settled).toHaveLength(2)
    const reported = explained([named('old', { endpoints: GONE }), ...settled], {
      service: ported,
      pods: both,
    })
    expect(reported[0]?.reasons).toEqual(['its endpoints are gone, or move to other slices'])
  })

  it('goes is that no pod has its ports, though there are slices of another address type with them', () => {
    const families = aService({ ipFamilies: ['IPv4', 'IPv6'] })
    const state = { service: families, pods: [aPod('p', { ips: ['fd00::1'] })] }
    const reported = explained([named('a', { endpoints: GONE }), named('b', { endpoints: GONE })], state)
    const reasons = new Map(reported.map((one) => [one.outcome, one.reasons]))
    expect(reasons.get('Delete')).toEqual(['no pod has its ports any more'])
    // One stays, to show that there are none.
    expect(reasons.get('Update')).toEqual([
      'it has no ports any more: no target port of the Service matches a port of its Pods',
    ])
  })

  it('changes its ports names the new ones', () => {
    const reported = explained([named('a', { ports: OTHER_PORTS })])
    expect(reported).toMatchObject([{ outcome: 'Update', reasons: ['its ports change to http 8080/TCP'] }])
  })

  it('is updated is which labels differ, in their order, and nothing where only endpoints do', () => {
    const labels = { ...slice.metadata?.labels, z: '1', a: '1' }
    expect(explained([named('a', { metadata: { labels } })])[0]?.reasons).toEqual([
      'labels differ from the Service’s: a, z',
    ])
    const [first, ...others] = slice.endpoints ?? []
    const moved = { addresses: [], ...first, zone: 'zone-z' }
    expect(explained([named('a', { endpoints: [moved, ...others] })])[0]).toMatchObject({
      outcome: 'Update',
      reasons: [],
    })
  })
})

it('slices of other managers are no part of the plan', () => {
  const theirs = named('theirs', {
    metadata: { labels: { ...slice.metadata?.labels, [LABEL_MANAGED_BY]: 'x' } },
  })
  const { plan: planned } = explain({ service, pods, nodes: NODES, slices: [theirs] })
  expect(planned.create).toHaveLength(1)
  expect([planned.update, planned.delete]).toEqual([[], []])
})

it('what keeps hints from being given is reported in words, without the address type that it is about', () => {
  const topology = aService({}, { annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } })
  const { hints } = explain({ service: topology, pods: podsNumbered(1), nodes: NODES, slices: [] })
  expect(hints).toMatchObject([{ problem: 'Insufficient number of endpoints (1 endpoints, 2 zones)' }])
})

it('hints are counted for ready endpoints, each address type for itself', () => {
  const families = aService({ ipFamilies: ['IPv4', 'IPv6'], trafficDistribution: 'PreferSameNode' })
  const both = [aPod('p', { ips: ['10.0.0.1', 'fd00::1'] }), aPod('q', { ips: ['10.0.0.2'] })]
  const away = aPod('r', { ips: ['10.0.0.3'], ready: false })
  const { hints } = explain({ service: families, pods: [...both, away], nodes: NODES, slices: [] })
  expect(hints).toEqual([
    { addressType: 'IPv4', mode: 'node', ready: 2, hinted: 2 },
    { addressType: 'IPv6', mode: 'node', ready: 1, hinted: 1 },
  ])
})
