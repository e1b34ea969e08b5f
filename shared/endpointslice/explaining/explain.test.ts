import { describe, expect, it } from 'vitest'
import { type ExplainState, explain, foreignPodSource, type Pod, plan } from '../index.ts'
import { aNode, aPod, applied, aService, NODES, podsNumbered } from '../plan.fixtures.ts'
import { addressSource } from '../sources/addresses.ts'
import type { EndpointSlice, Service } from '../types.ts'
import { LABEL_MANAGED_BY } from '../well-known.ts'

const stateOf = (service: Service, pods: readonly Pod[], more: Partial<ExplainState> = {}): ExplainState => ({
  service,
  pods,
  nodes: NODES,
  slices: [],
  ...more,
})

const explainPod = (pod: Pod, service = aService(), more: Partial<ExplainState> = {}) => {
  const [endpoint] = explain(stateOf(service, [pod], more)).endpoints
  return { ...endpoint, codes: endpoint?.reasons.map(({ code }) => code) }
}

/** Returns the slices of a Service whose controller has done its work. */
const settled = (service: Service, pods: readonly Pod[], managedBy?: string): EndpointSlice[] =>
  applied([], plan({ service, pods, nodes: NODES, slices: [] }, { managedBy }))

describe('what is said of a pod', () => {
  it('is where it is published, and as what', () => {
    const service = aService()
    const pod = aPod('p')
    const slices = settled(service, [pod])
    const name = slices[0]?.metadata?.name
    expect(explainPod(pod, service, { slices })).toMatchObject({
      kind: 'Pod',
      name: 'p',
      outcome: 'Published',
      reasons: [],
      nodeName: 'node-a',
      zone: 'zone-a',
      published: [
        {
          addressType: 'IPv4',
          addresses: ['10.0.0.1'],
          ready: true,
          serving: true,
          terminating: false,
          slices: [{ name, managedBy: 'sliceflow.dev' }],
          plannedSlice: name,
        },
      ],
    })
  })

  it('is that it is pending while a slice has it with another address', () => {
    const service = aService()
    const slices = settled(service, [aPod('p')])
    for (const { endpoints } of slices)
      for (const endpoint of endpoints ?? []) endpoint.addresses = ['10.9.9.9']
    const { outcome, published } = explainPod(aPod('p'), service, { slices })
    expect(outcome).toBe('Pending')
    expect(published).toMatchObject([{ slices: [], addresses: ['10.0.0.1'] }])
  })

  it('is that it is pending while only another manager publishes it', () => {
    const slices = settled(aService(), [aPod('p')], 'endpointslice-controller.k8s.io')
    const { outcome, published } = explainPod(aPod('p'), aService(), { slices })
    expect(outcome).toBe('Pending')
    expect(published?.[0]?.slices[0]?.managedBy).toBe('endpointslice-controller.k8s.io')
  })

  it.each([
    ['has ended', aPod('p', { phase: 'Failed' }), 'Terminal', 'it has ended: phase Failed'],
    ['has no IP yet', aPod('p', { ips: [], phase: 'Pending' }), 'NoAddress', 'phase Pending'],
    ['is on a node that is gone', aPod('p', { node: 'gone' }), 'NodeNotFound', '"gone" does not exist'],
    ['is of the other family', aPod('p', { ips: ['fd00::1'] }), 'AddressTypeNotOfService', 'IPv4 only'],
  ])('that %s is why it is left out', (_, pod, code, message) => {
    const { outcome, reasons } = explainPod(pod)
    expect(outcome).toBe('LeftOut')
    expect(reasons?.find((reason) => reason.code === code)?.message).toContain(message)
  })

  it.each([
    ['that it is being deleted', aPod('p', { terminating: true }), aService(), ['BeingDeleted']],
    ['which family it lacks', aPod('p'), aService({ ipFamilies: ['IPv4', 'IPv6'] }), ['NoAddressOfType']],
  ])('that is published all the same is %s', (_, pod, service, codes) => {
    expect(explainPod(pod, service, { slices: settled(service, [pod]) })).toMatchObject({
      outcome: 'Published',
      codes,
    })
  })

  it('that has ended and stands in a slice is which slice, whosever it is', () => {
    const slices = settled(aService(), [aPod('p')], 'other')
    const { reasons } = explainPod(aPod('p', { phase: 'Succeeded' }), aService(), { slices })
    expect(reasons?.at(-1)).toMatchObject({
      code: 'StillPublished',
      message: expect.stringContaining('other'),
    })
  })

  it('of another cluster is found by its address, as its endpoint names no pod', () => {
    const foreign = { pods: [aPod('p')], nodes: NODES }
    const service = aService()
    const source = foreignPodSource(foreign)
    const state = { service, pods: [], nodes: [], source }
    const slices = applied([], plan({ ...state, slices: [] }))
    const { endpoints } = explain({ ...state, slices, selected: { ...foreign, areForeign: true } })
    expect(endpoints).toMatchObject([{ name: 'p', outcome: 'Published', nodeName: 'node-a' }])
  })
})

it('an address that a Service names itself is reported as one', () => {
  const source = addressSource(['10.9.0.1', 'fd00::9'])
  const { endpoints } = explain(stateOf(aService(), [], { source }))
  expect(endpoints).toMatchObject([
    { kind: 'Address', name: '10.9.0.1', outcome: 'Pending' },
    { kind: 'Address', name: 'fd00::9', outcome: 'LeftOut' },
  ])
})

describe('what is said of a slice', () => {
  const service = aService()
  const pods = podsNumbered(3)
  const [slice = {} as EndpointSlice] = settled(service, pods)
  const explainedSlice = (slices: readonly EndpointSlice[], state: Partial<ExplainState> = {}) =>
    explain(stateOf(service, pods, { slices, ...state })).slices[0]

  it('is that it is as planned, with its figures', () => {
    const managedFields = [
      { manager: 'kubectl-edit', operation: 'Update', time: '2026-03-01T13:00:00Z' },
      { manager: 'sliceflow', operation: 'Update', time: '2026-03-01T12:00:00Z' },
    ]
    const metadata = { ...slice.metadata, managedFields, creationTimestamp: '2026-03-01T11:00:00Z' }
    expect(explainedSlice([{ ...slice, metadata }])).toMatchObject({
      outcome: 'AsPlanned',
      managedBy: 'sliceflow.dev',
      endpoints: 3,
      ready: 3,
      hinted: 0,
      ports: ['http 8080/TCP'],
      created: '2026-03-01T11:00:00Z',
      lastWrite: { manager: 'kubectl-edit', operation: 'Update', time: '2026-03-01T13:00:00Z' },
    })
  })

  it('is what an update changes', () => {
    const [first, ...others] = slice.endpoints ?? []
    const changed = {
      ...slice,
      metadata: { ...slice.metadata, labels: { ...slice.metadata?.labels, by: 'hand' } },
      endpoints: [
        { addresses: ['10.9.9.9'] },
        { ...first, addresses: ['10.0.0.0'], zone: 'zone-z' },
        ...others,
      ],
    }
    const explained = explainedSlice([changed])
    expect(explained).toMatchObject({ outcome: 'Update', reasons: ['labels differ from the Service’s: by'] })
    expect(explained?.differences).toMatchObject([
      { kind: 'zone', endpoint: 'shop/p-000', actual: 'zone-z', expected: 'zone-a' },
      { kind: 'unexpected', endpoint: '10.9.9.9' },
    ])
  })

  it.each([
    ['an older Service', { ...slice, metadata: { ...slice.metadata, ownerReferences: [] } }, 'older Service'],
    ['another family', { ...slice, addressType: 'IPv6' }, 'not published in IPv6'],
  ])('of %s is why it is deleted', (_, stale, reason) => {
    expect(explainedSlice([stale, slice])).toMatchObject({
      outcome: 'Delete',
      reasons: [expect.stringContaining(reason)],
    })
  })

  it('of another manager is that it is not ours, whatever it holds', () => {
    const labels = { ...slice.metadata?.labels, [LABEL_MANAGED_BY]: 'other' }
    const foreign = { ...slice, metadata: { ...slice.metadata, labels }, endpoints: [] }
    expect(explainedSlice([foreign])).toMatchObject({
      outcome: 'Foreign',
      managedBy: 'other',
      differences: [],
    })
  })

  it('that is being deleted, or cannot be read, is just that', () => {
    const deletionTimestamp = '2026-03-01T12:00:00Z'
    expect(explainedSlice([{ ...slice, metadata: { ...slice.metadata, deletionTimestamp } }])?.outcome).toBe(
      'BeingDeleted',
    )
    const endpoints = 'none' as unknown as EndpointSlice['endpoints']
    expect(explainedSlice([{ ...slice, endpoints }])).toMatchObject({ outcome: 'Malformed', endpoints: 0 })
  })
})

it('what keeps hints from being given is reported, with the node that is the reason', () => {
  const service = aService({}, { annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } })
  const nodes = [...NODES, aNode('bare', '')]
  const { hints } = explain(stateOf(service, podsNumbered(4), { nodes }))
  const problem = expect.stringContaining('node bare has no label')
  expect(hints).toEqual([{ addressType: 'IPv4', mode: 'topology', ready: 4, hinted: 0, problem }])
})

it('a Service that is malformed gives an empty explanation, with the fault in the plan', () => {
  const { plan: planned, ...rest } = explain(stateOf({ metadata: {} }, []))
  expect(rest).toEqual({ addressTypes: [], endpoints: [], slices: [], hints: [] })
  expect(planned.skipped).toMatchObject([{ kind: 'Service', reason: 'Malformed' }])
})
