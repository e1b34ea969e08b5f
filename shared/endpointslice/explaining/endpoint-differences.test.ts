import { describe, expect, it } from 'vitest'
import { endpointDifferences, plan } from '../index.ts'
import { applied, aService, NODES, podsNumbered } from '../plan.fixtures.ts'
import type { Endpoint, EndpointSlice } from '../types.ts'

const published = (count: number, maxEndpointsPerSlice = 100): EndpointSlice[] =>
  applied(
    [],
    plan(
      {
        service: aService({ trafficDistribution: 'PreferSameNode' }),
        pods: podsNumbered(count),
        nodes: NODES,
        slices: [],
      },
      { maxEndpointsPerSlice },
    ),
  )

const withFirst = (change: (endpoint: Endpoint) => Endpoint): EndpointSlice[] =>
  published(2).map((slice) => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).map((endpoint, index) => (index === 0 ? change(endpoint) : endpoint)),
  }))

describe('the differences between endpoints', () => {
  it('are one for each that is missing and each that should not be there', () => {
    expect(endpointDifferences(published(2), published(3))).toMatchObject([
      {
        kind: 'missing',
        endpoint: 'shop/p-002',
        expected: '10.0.0.2 (ready, serving)',
        actual: '',
        slice: '',
      },
    ])
    expect(endpointDifferences(published(3), published(2))).toMatchObject([
      { kind: 'unexpected', endpoint: 'shop/p-002', actual: '10.0.0.2 (ready, serving)', expected: '' },
    ])
  })

  it.each([
    ['addresses', { addresses: ['10.7.7.7'] }, '10.7.7.7'],
    [
      'conditions',
      { conditions: { ready: false, serving: true, terminating: false }, hints: undefined },
      'not ready, serving',
    ],
    ['nodeName', { nodeName: 'node-z' }, 'node-z'],
    ['zone', { zone: 'zone-z' }, 'zone-z'],
    ['hostname', { hostname: 'db-0' }, 'db-0'],
    [
      'targetRef',
      { targetRef: { kind: 'Pod', namespace: 'shop', name: 'p-000', uid: 'old' } },
      'Pod uid old',
    ],
    ['hints', { hints: { forZones: [{ name: 'zone-z' }] } }, 'zones zone-z'],
    ['hints', { hints: { forNodes: [{ name: 'n-2' }, { name: 'n-1' }] } }, 'nodes n-1, n-2'],
    ['hints', { hints: undefined }, ''],
    ['conditions', { conditions: {} }, 'ready unset, serving unset, terminating unset'],
    [
      'conditions',
      { conditions: { ready: true, serving: false, terminating: true } },
      'ready, not serving, terminating',
    ],
  ] as const)('are reported by field: %s', (kind, change, actual) => {
    const found = endpointDifferences(
      withFirst((endpoint) => ({ ...endpoint, ...change }) as Endpoint),
      published(2),
    )
    expect(found[0]).toMatchObject({ kind, actual, endpoint: 'shop/p-000' })
  })

  it('do not count hints of endpoints that are not ready, which nobody reads', () => {
    const notReady = (hints: Endpoint['hints']): EndpointSlice[] =>
      withFirst((endpoint) => ({ ...endpoint, conditions: { ready: false }, hints }))
    expect(endpointDifferences(notReady({ forZones: [{ name: 'zone-z' }] }), notReady(undefined))).toEqual([])
  })

  const [slice = {} as EndpointSlice] = published(1)
  const sliceOf = (name: string, port: number, ...addresses: readonly string[]): EndpointSlice => ({
    ...slice,
    metadata: { ...slice.metadata, name },
    ports: [{ name: 'http', port, protocol: 'TCP' }],
    endpoints: addresses.map((address) => ({ ...slice.endpoints?.[0], addresses: [address] })),
  })

  it('are none of a pod that stands in several slices, in whatever order they come', () => {
    const others = [sliceOf('a', 80, '10.0.0.1', '10.0.0.2'), sliceOf('b', 81, '10.0.0.2', '10.0.0.1')]
    const expected = [sliceOf('c', 81, '10.0.0.1', '10.0.0.2'), sliceOf('d', 80, '10.0.0.2', '10.0.0.1')]
    expect(endpointDifferences(others, expected)).toEqual([])
  })

  it('name the slice that should not have an endpoint, and the object that it is of', () => {
    const pod = sliceOf('web-x', 80, '10.0.0.1')
    const targetRef = { kind: 'Node', namespace: 'shop', name: 'n' }
    const node = { ...sliceOf('web-y', 80), endpoints: [{ addresses: ['10.0.0.2'], targetRef }] }
    expect(endpointDifferences([pod, pod, node], [pod])).toMatchObject([
      { kind: 'duplicate', endpoint: 'shop/p-000', slice: 'web-x' },
      { kind: 'unexpected', endpoint: 'Node shop/n', slice: 'web-y' },
    ])
  })

  it('tell ports in the same order, whatever the slices have them in', () => {
    const withPorts = (...ports: readonly number[]): EndpointSlice => ({
      ...sliceOf('a', 80, '10.0.0.1'),
      ports: ports.map((port) => ({ name: `p-${port}`, port, protocol: 'TCP' })),
    })
    expect(endpointDifferences([withPorts(2, 1)], [withPorts(1, 2)])).toEqual([])
    expect(endpointDifferences([withPorts(2, 1)], [withPorts()])).toMatchObject([
      { kind: 'ports', actual: 'p-1 1/TCP, p-2 2/TCP', expected: 'none' },
    ])
    const any = { ...withPorts(), ports: [{ protocol: 'UDP' }, { port: 53, appProtocol: 'dns' }] }
    expect(endpointDifferences([any], [withPorts(1)])).toMatchObject([
      { kind: 'ports', actual: '53/TCP (dns), all/UDP' },
    ])
  })
})
