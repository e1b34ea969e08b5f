import { describe, expect, it } from 'vitest'
import {
  addressProblem,
  addressSource,
  type EndpointSlice,
  type EndpointSource,
  foreignPodSource,
  fqdnSource,
  plan,
  podsOnNetwork,
} from '../index.ts'
import {
  aNode,
  aPod,
  applied,
  aService,
  deepFreeze,
  endpointsOf,
  NODES,
  podsNumbered,
  writes,
} from '../plan.fixtures.ts'
import type { Pod, Service } from '../types.ts'

const dualStack = aService({ ipFamilies: ['IPv4', 'IPv6'] })

const planned = (source: EndpointSource, slices: readonly EndpointSlice[] = [], service = dualStack) =>
  plan(deepFreeze({ service, pods: [], nodes: [], slices, source }))

/** Returns the slices of a plan from nothing; planning again must write nothing. */
function settled(source: EndpointSource, service?: Service): EndpointSlice[] {
  const slices = applied([], planned(source, [], service))
  expect(writes(planned(source, slices, service))).toEqual([0, 0, 0])
  return slices.toSorted(byAddressType)
}

const byAddressType = (a: EndpointSlice, b: EndpointSlice): number => (a.addressType < b.addressType ? -1 : 1)

describe('static addresses', () => {
  it('are ready endpoints of their family without a target', () => {
    const slices = settled(addressSource(['10.0.0.5', 'fd00::5', '10.0.0.6']))
    expect(slices.map(({ addressType, ports }) => [addressType, ports?.[0]?.port])).toEqual([
      ['IPv4', 8080],
      ['IPv6', 8080],
    ])
    expect(endpointsOf(slices)).toEqual(
      ['10.0.0.5', '10.0.0.6', 'fd00::5'].map((address) => ({
        addresses: [address],
        conditions: { ready: true, serving: true, terminating: false },
      })),
    )
  })

  it('take the place of pods in slices that are there', () => {
    const service = aService()
    const slices = applied([], plan({ service, pods: podsNumbered(3), nodes: NODES, slices: [] }))
    const after = applied(slices, planned(addressSource(['10.0.0.0']), slices, service))
    expect(endpointsOf(after).map(({ targetRef }) => targetRef)).toEqual([undefined])
  })

  it.each([
    ['127.0.0.1', '127.0.0.1 is a loopback address'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['169.254.169.254', 'link-local'],
    ['fe80::1', 'link-local'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['ff02::1', 'multicast'],
    ['0.0.0.0', '0.0.0.0 is the unspecified address'],
    ['::', 'unspecified'],
    ['010.0.0.1', 'not an IP address'],
    ['fe80::1%eth0', 'not an IP address'],
    ['example.org', 'not an IP address'],
    ['', 'not an IP address'],
  ])('%j cannot: %s', (text, problem) => expect(addressProblem(text)).toContain(problem))
})

describe('endpoints of a source of your own', () => {
  it('have the node, the zone and the name of their host that it tells, and their addresses in order', () => {
    const place = { nodeName: 'node-x', zone: 'zone-x', hostname: 'db-0' }
    const source: EndpointSource = {
      endpoints: () => [{ addresses: ['10.0.0.7', '10.0.0.5', '10.0.0.6'], ...place }],
    }
    expect(endpointsOf(settled(source, aService()))).toMatchObject([
      { addresses: ['10.0.0.5', '10.0.0.6', '10.0.0.7'], ...place },
    ])
  })
})

describe('domain names', () => {
  it('have 253 characters at most', () => {
    const name = (length: number): string => `${'a.'.repeat(120)}${'b'.repeat(length - 240)}`
    const { skipped, create } = planned(fqdnSource([name(253), name(254)]))
    expect(endpointsOf(create).map(({ addresses }) => addresses)).toEqual([[name(253)]])
    expect(skipped).toMatchObject([{ message: expect.stringContaining(name(254)) }])
  })

  it('stand in slices of the type FQDN, and slices of other types go', () => {
    const before = settled(addressSource(['10.0.0.5']), aService())
    const after = applied(before, planned(fqdnSource(['b.example.org', 'a.example.org']), before))
    expect(after.map(({ addressType }) => addressType)).toEqual(['FQDN'])
    expect(endpointsOf(after).map(({ addresses }) => addresses)).toEqual([
      ['a.example.org'],
      ['b.example.org'],
    ])
  })
})

describe('pods of another cluster', () => {
  const source = foreignPodSource({
    pods: [
      aPod('a', { ips: ['10.9.0.1', 'fd09::1'] }),
      aPod('b', { ips: ['10.9.0.2'], ready: false, node: 'node-b' }),
      aPod('c', { ips: ['10.9.0.3'], node: 'gone' }),
      aPod('d', { ips: ['10.9.0.4'], phase: 'Failed' }),
    ],
    nodes: [aNode('node-a', 'zone-x'), aNode('node-b', 'zone-y')],
  })

  it('have their zone, and neither a node nor a target that this cluster does not know', () => {
    expect(endpointsOf(settled(source))).toEqual([
      {
        addresses: ['10.9.0.1'],
        conditions: { ready: true, serving: true, terminating: false },
        zone: 'zone-x',
      },
      {
        addresses: ['10.9.0.2'],
        conditions: { ready: false, serving: false, terminating: false },
        zone: 'zone-y',
      },
      {
        addresses: ['fd09::1'],
        conditions: { ready: true, serving: true, terminating: false },
        zone: 'zone-x',
      },
    ])
  })

  it('are left out and reported when their node does not exist', () => {
    expect(planned(source).skipped).toMatchObject([{ kind: 'Pod', name: 'c', reason: 'NodeNotFound' }])
  })

  it('resolve named ports each for itself', () => {
    const withPort = (name: string, ip: string, containerPort: number): Pod =>
      aPod(name, {
        ips: [ip],
        spec: { containers: [{ name: 'app', ports: [{ name: 'http', containerPort }] }] },
      })
    const service = aService({ ports: [{ name: 'http', port: 80, targetPort: 'http' }] })
    const pods = [withPort('a', '10.9.0.1', 8080), withPort('b', '10.9.0.2', 9090)]
    const slices = settled(foreignPodSource({ pods, nodes: [...NODES] }), service)
    expect(slices.map(({ ports }) => ports?.[0]?.port).sort()).toEqual([8080, 9090])
  })
})

describe('pods on another network', () => {
  const attached = (name: string, status: unknown): Pod => {
    const pod = aPod(name)
    const text = typeof status === 'string' ? status : JSON.stringify(status)
    return {
      ...pod,
      metadata: { ...pod.metadata, annotations: { 'k8s.v1.cni.cncf.io/network-status': text } },
    }
  }
  const storage = (name: string, ...ips: string[]) => [
    { name: 'cbr0', interface: 'eth0', ips: ['10.0.0.1'], default: true },
    { name, interface: 'net1', ips },
  ]
  const addressesOn = (network: string, pods: readonly Pod[]): unknown[] =>
    podsOnNetwork(deepFreeze([...pods]), network).pods.map(({ status }) =>
      status?.podIPs?.map(({ ip }) => ip),
    )

  it('are published under their addresses there', () => {
    const pods = [attached('a', storage('shop/storage', '192.168.7.4', 'fd07::4'))]
    const { pods: seen } = podsOnNetwork(pods, 'shop/storage')
    const slices = applied([], plan({ service: dualStack, pods: seen, nodes: NODES, slices: [] }))
    expect(endpointsOf(slices.toSorted(byAddressType))).toMatchObject([
      {
        addresses: ['192.168.7.4'],
        nodeName: 'node-a',
        zone: 'zone-a',
        targetRef: { kind: 'Pod', name: 'a' },
      },
      { addresses: ['fd07::4'] },
    ])
  })

  it.each([
    ['storage', 'shop/storage'],
    ['shop/storage', 'storage'],
    ['storage', 'storage'],
  ])('%s finds %s, as a name alone is of the pod’s own namespace', (wanted, found) => {
    expect(addressesOn(wanted, [attached('a', storage(found, '192.168.7.4'))])).toEqual([['192.168.7.4']])
  })

  it('are left out without an address there', () => {
    const pods = [
      aPod('a'),
      attached('b', storage('other/storage', '192.168.7.4')),
      attached('c', storage('storage')),
    ]
    expect(podsOnNetwork(pods, 'storage')).toEqual({ pods: [], unattached: pods, skipped: [] })
  })

  it.each([
    '{',
    '{}',
    '[null]',
    '[{"ips":[]}]',
    '[{"name":"storage","ips":[1]}]',
    '[{"name":"storage","ips":["192.168.7.5"]},7]',
    '[{"name":"storage","ips":["192.168.7.5",1]}]',
  ])('are reported when the annotation is %s', (text) => {
    const { pods, skipped } = podsOnNetwork(
      [attached('a', text), attached('b', storage('storage', '192.168.7.4'))],
      'storage',
    )
    expect(pods).toHaveLength(1)
    expect(skipped).toMatchObject([{ kind: 'Pod', namespace: 'shop', name: 'a', reason: 'Malformed' }])
  })
})
