import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EndpointSlice, plan, type Service, type SourceEndpoint } from '../../endpointslice/index.ts'
import { importedEndpoints } from './imported-endpoints.ts'

const service: Service = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u' },
  spec: {
    clusterIP: '10.96.0.7',
    ports: [
      { name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 },
      { name: 'dns', port: 53, protocol: 'UDP', targetPort: 5353 },
    ],
  },
}
const HTTP = { name: 'http', port: 80, protocol: 'TCP', appProtocol: 'h2c' }
const DNS = { name: 'dns', port: 53, protocol: 'UDP' }
const endpoint = {
  addresses: ['10.0.0.1'],
  conditions: { ready: true },
  hostname: 'web-0',
  zone: 'eu-1a',
  nodeName: 'node-a',
  targetRef: { kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'p' },
}
const slice: EndpointSlice = {
  addressType: 'IPv4',
  endpoints: [endpoint],
  ports: [
    { name: 'http', port: 8080, protocol: 'TCP' },
    { name: 'dns', port: 5353, protocol: 'UDP' },
  ],
}

const imported = (
  slices: readonly EndpointSlice[],
  ports = [HTTP, DNS],
  isHome = false,
): SourceEndpoint[] => [
  ...importedEndpoints({ service, slices }, { ports, isHome }).endpoints(service as never, () => undefined),
]

describe('endpoints of another cluster', () => {
  it('keep address, hostname and zone, and lead to the ports of their Pods', () => {
    expect(imported([slice])).toEqual([
      {
        addresses: ['10.0.0.1'],
        ready: true,
        serving: true,
        terminating: false,
        hostname: 'web-0',
        zone: 'eu-1a',
        ports: [
          { name: 'http', port: 8080, protocol: 'TCP', appProtocol: 'h2c' },
          { name: 'dns', port: 5353, protocol: 'UDP' },
        ],
      },
    ])
  })

  it.each([
    ['ready', { ready: 'false' }],
    ['serving', { ready: true, serving: 'yes' }],
    ['terminating', { terminating: 1 }],
    ['the conditions', [true]],
  ])('are left out and named if %s is not of the form of the API', (_, conditions) => {
    const skipped: unknown[] = []
    const odd = { ...slice, endpoints: [{ ...endpoint, conditions }, endpoint] } as EndpointSlice
    const { endpoints } = importedEndpoints({ service, slices: [odd] }, { ports: [HTTP], isHome: false })
    const found = [...endpoints(service as never, (object) => skipped.push(object))]
    expect(found).toHaveLength(1)
    expect(skipped).toEqual([expect.objectContaining({ kind: 'EndpointSlice', reason: 'Malformed' })])
  })

  it('leave out a node and a Pod whose names are not of the form of the API', () => {
    const odd = { ...endpoint, nodeName: 'Node_A', targetRef: { kind: 'Pod', name: 7 } }
    const [found] = imported([{ ...slice, endpoints: [odd as never] }], [HTTP], true)
    expect(found).not.toHaveProperty('nodeName')
    expect(found).not.toHaveProperty('targetRef')
  })

  it('name their node and Pod in their own cluster only', () => {
    expect(imported([slice], [HTTP], true)[0]).toMatchObject({
      nodeName: 'node-a',
      targetRef: endpoint.targetRef,
    })
  })

  it.each([true, false])(
    'are one where two Pods have one address, whichever of them is listed first: home %s',
    (isHome) => {
      const of = (name: string, ready: boolean) => ({
        ...endpoint,
        conditions: { ready },
        targetRef: { kind: 'Pod', name, uid: name },
      })
      for (const pods of [
        [of('a', false), of('b', true)],
        [of('b', true), of('a', false)],
        [of('b', true), of('c', true)],
        [of('c', true), of('b', true)],
      ]) {
        const found = imported([{ ...slice, endpoints: pods }], [HTTP], isHome)
        expect(found.map(({ ready, targetRef }) => [ready, targetRef?.name])).toEqual([
          [true, isHome ? 'b' : undefined],
        ])
      }
    },
  )

  it('have the first one of several ports of one name', () => {
    const odd = {
      ...slice,
      ports: [
        { name: 'http', port: 8080 },
        { name: 'http', port: 8081 },
      ],
    }
    expect(imported([odd], [HTTP])[0]?.ports?.map(({ port }) => port)).toEqual([8080])
  })

  it.each([
    ['number', { ...HTTP, port: 81 }],
    ['protocol', { ...HTTP, protocol: 'SCTP' }],
    ['name', { ...HTTP, name: 'web' }],
  ])('are not reached by a port of the import that has another %s', (_, port) => {
    expect(imported([slice], [port, DNS])[0]?.ports).toEqual([{ name: 'dns', port: 5353, protocol: 'UDP' }])
    expect(imported([slice], [port])).toEqual([])
  })

  it.each([
    ['ready unless it is said that they are not', {}, [true, true, false]],
    ['not ready while they start', { ready: false }, [false, false, false]],
    ['serving while they end', { ready: false, serving: true, terminating: true }, [false, true, true]],
  ])('are %s', (_, conditions, expected) => {
    const [one] = imported([{ ...slice, endpoints: [{ ...endpoint, conditions }] }])
    expect([one?.ready, one?.serving, one?.terminating]).toEqual(expected)
  })

  it('are planned in the families that the cluster has slices of, and no others', () => {
    const source = importedEndpoints(
      {
        service,
        slices: [slice, { ...slice, addressType: 'FQDN', endpoints: [{ addresses: ['a.example'] }] }],
      },
      { ports: [HTTP], isHome: false },
    )
    expect(source.addressTypes).toEqual(['IPv4'])
  })

  it('never make a slice that the API server would refuse, whatever a cluster says', () => {
    const lie = fc.oneof(fc.jsonValue(), fc.constant(endpoint))
    const slices = fc.array(
      fc.record({
        addressType: fc.constantFrom('IPv4', 'IPv6', 'FQDN', 'nonsense'),
        endpoints: fc.oneof(fc.jsonValue(), fc.array(lie)),
        ports: fc.oneof(fc.jsonValue(), fc.constant(slice.ports), fc.array(fc.jsonValue())),
      }),
    )
    fc.assert(
      fc.property(slices, (lies) => {
        const source = importedEndpoints(
          { service, slices: lies as unknown as EndpointSlice[] },
          { ports: [HTTP, DNS], isHome: true },
        )
        const { create } = plan({ service, pods: [], nodes: [], slices: [], source })
        for (const { addressType, endpoints, ports } of create) {
          expect(['IPv4', 'IPv6']).toContain(addressType)
          for (const each of ports ?? []) expect([8080, 5353]).toContain(each.port)
          for (const { addresses, hostname } of endpoints ?? []) {
            expect(addresses).toHaveLength(1)
            expect(hostname ?? 'web-0').toMatch(/^[a-z0-9-]+$/)
          }
        }
      }),
    )
  })
})
