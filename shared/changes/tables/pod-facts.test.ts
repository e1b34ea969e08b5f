import { describe, expect, it } from 'vitest'
import { ANNOTATION_NETWORK_STATUS, type Pod, plan, type Service } from '../../endpointslice/index.ts'
import {
  isDeferrable,
  NO_ENDPOINT,
  namedPorts,
  type PodTraffic,
  podDigest,
  podOfDigest,
  podTraffic,
} from './pod-facts.ts'

interface PodParts {
  readonly metadata?: Pod['metadata']
  readonly spec?: Partial<NonNullable<Pod['spec']>>
  readonly status?: Pod['status']
}

const ready = (status: string) => ({ type: 'Ready', status })
function pod({ metadata, spec, status }: PodParts = {}): Pod {
  return {
    metadata: { name: 'p', namespace: 'shop', uid: 'u', ...metadata },
    spec: { nodeName: 'n1', containers: [{ name: 'app' }], ...spec },
    status: { podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], conditions: [ready('True')], ...status },
  }
}
const HTTP = { name: 'http', containerPort: 8080, protocol: 'TCP' }
const containers = [{ name: 'app', ports: [HTTP] }]
const networks = (text: string) => ({ annotations: { [ANNOTATION_NETWORK_STATUS]: text } })
const initContainers = [
  { name: 'once', ports: [{ ...HTTP, containerPort: 1 }] },
  { name: 'sidecar', restartPolicy: 'Always', ports: [{ ...HTTP, containerPort: 9090 }] },
]
const DELETED = { deletionTimestamp: '2026-01-01T00:00:09Z' } as unknown as Pod['metadata']
const json = (value: unknown) => value as Pod

/** Each makes another endpoint than all others. */
const UNLIKE: Readonly<Record<string, Pod>> = {
  'an ordinary one': pod(),
  'another uid': pod({ metadata: { uid: 'v' } }),
  'no uid': json({ ...pod(), metadata: { name: 'p', namespace: 'shop' } }),
  'another address': pod({ status: { podIPs: [{ ip: '10.0.0.2' }] } }),
  'the address alone': pod({ status: { podIPs: undefined, podIP: '10.0.0.1' } as Pod['status'] }),
  'another node': pod({ spec: { nodeName: 'n2' } }),
  'no node': json({ ...pod(), spec: { containers: [] } }),
  'not ready': pod({ status: { conditions: [ready('False')] } }),
  'being deleted': pod({ metadata: DELETED }),
  'a hostname': pod({ spec: { hostname: 'h' } }),
  'a hostname and a subdomain': pod({ spec: { hostname: 'h', subdomain: 'web' } }),
}
const UNLIKE_NETWORKS: Readonly<Record<string, Pod>> = {
  'a status of networks': pod({ metadata: networks('[{"name":"a"}]') }),
  'another status of networks': pod({ metadata: networks('[{"name":"b"}]') }),
}
const NAMED: Readonly<Record<string, Pod>> = {
  'a named port': pod({ spec: { containers } }),
  'a named port of a sidecar': pod({ spec: { initContainers } }),
  'two ports of one name': pod({ spec: { containers, initContainers } }),
  'ports without names': pod({ spec: { containers: [{ name: 'app', ports: [{ containerPort: 80 }] }] } }),
  'no containers': json({ ...pod(), spec: { nodeName: 'n1' } }),
}

const remembered = (of: Pod): Pod | undefined => podOfDigest('shop/p', podDigest(of), namedPorts(of))

describe('the digest of a pod', () => {
  it('is another one for each pod that makes another endpoint', () => {
    const pods = Object.values({ ...UNLIKE, ...UNLIKE_NETWORKS })
    expect(new Set(pods.map(podDigest)).size).toBe(pods.length)
  })

  it.each<readonly [string, Pod]>([
    ['labels', pod({ metadata: { labels: { app: 'x' } } })],
    ['other annotations', pod({ metadata: { annotations: { note: 'x' } } })],
    [
      'other conditions',
      pod({ status: { conditions: [{ type: 'Initialized', status: 'False' }, ready('True')] } }),
    ],
    ['a deletion time of null', pod({ metadata: { deletionTimestamp: null } as unknown as Pod['metadata'] })],
    [
      'an address without a value',
      pod({ status: { podIPs: [{ ip: '10.0.0.1' }, { ip: '' }, { ip: 'fd00::1' }] } }),
    ],
    ['an annotation of networks that is no text', pod({ metadata: networks(7 as unknown as string) })],
    ['a subdomain that is no text', pod({ spec: { subdomain: 7 as unknown as string } })],
  ])('is the same with %s', (_, of) => {
    expect(podDigest(of)).toBe(podDigest(pod()))
  })

  it.each<readonly [string, Pod]>([
    ['failed', pod({ status: { phase: 'Failed' } })],
    ['succeeded', pod({ status: { phase: 'Succeeded' } })],
    ['has no address', pod({ status: { podIPs: [], podIP: '' } })],
    ['has addresses without a value', pod({ status: { podIPs: [{ ip: '' }] } })],
    ['has no status', json({ metadata: { name: 'p' } })],
    ['is nothing', json({})],
  ])('is that of no endpoint where it %s', (_, of) => {
    expect(podDigest(of)).toBe(NO_ENDPOINT)
    expect(podTraffic(of, podDigest(of))).toBe('none')
    expect(podOfDigest('shop/p', podDigest(of), '')).toBeUndefined()
  })

  it('is of a bounded length, and tells two long ones apart', () => {
    const long = (last: string) => pod({ spec: { hostname: 'h'.repeat(500) + last } })
    expect(podDigest(long('a'))).toHaveLength(16)
    expect(podDigest(long('a'))).not.toBe(podDigest(long('b')))
    expect(remembered(long('a'))).toBeUndefined()
  })
})

describe('a pod as it is remembered', () => {
  const service = (targetPort: number | string): Service => ({
    metadata: { name: 'web', namespace: 'shop', uid: 'uid-web' },
    spec: {
      clusterIP: '10.96.0.7',
      ipFamilies: ['IPv4', 'IPv6'],
      selector: { app: 'web' },
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort }],
    },
  })
  const nodes = ['n1', 'n2'].map((name) => ({ metadata: { name } }))
  const planned = (of: Pod | undefined, targetPort: number | string) =>
    plan({ service: service(targetPort), pods: of ? [of] : [], nodes, slices: [] }).create

  it.each(Object.entries({ ...UNLIKE, ...NAMED }))('makes the endpoint that it makes itself: %s', (_, of) => {
    for (const targetPort of [8080, 'http'])
      expect(planned(remembered(of), targetPort)).toEqual(planned(of, targetPort))
  })

  it('has the same digest again', () => {
    for (const of of Object.values(UNLIKE)) expect(podDigest(remembered(of) ?? {})).toBe(podDigest(of))
  })

  it('has its ports by name in the order in which they are looked for', () => {
    expect(namedPorts(pod())).toBe('')
    expect(JSON.parse(namedPorts(pod({ spec: { containers, initContainers } })))).toEqual([
      HTTP,
      { ...HTTP, containerPort: 9090 },
    ])
    const nameless = [{ ...HTTP, name: '' }, HTTP]
    expect(JSON.parse(namedPorts(pod({ spec: { containers: [{ name: 'app', ports: nameless }] } })))).toEqual(
      [HTTP],
    )
  })
})

describe('the traffic of a pod', () => {
  const trafficOf = (of: Pod): PodTraffic => podTraffic(of, podDigest(of))

  it('comes to it while it is ready, and ends once it is being deleted', () => {
    expect(trafficOf(pod())).toBe('ready')
    expect(trafficOf(pod({ metadata: { deletionTimestamp: null } as unknown as Pod['metadata'] }))).toBe(
      'ready',
    )
    expect(trafficOf(pod({ metadata: DELETED }))).toBe('draining')
  })

  it.each<readonly [string, Pod['status']]>([
    ['is not ready', { conditions: [ready('False')] }],
    ['says nothing of it', { conditions: [{ type: 'Initialized', status: 'True' }] }],
    ['has no conditions', { conditions: undefined }],
    ['has conditions that are no list', { conditions: {} } as unknown as Pod['status']],
    ['has ended', { phase: 'Failed' }],
  ])('does not come to one that %s', (_, status) => {
    expect(trafficOf(pod({ status }))).toBe('none')
  })

  const STATES: readonly PodTraffic[] = ['ready', 'draining', 'none']
  it('may wait where no address is to get any, and none that gets some ceases to serve', () => {
    const deferrable = STATES.flatMap((before) =>
      STATES.filter((after) => isDeferrable(before, after)).map((after) => `${before} → ${after}`),
    )
    expect(deferrable).toEqual([
      'ready → draining',
      'draining → draining',
      'draining → none',
      'none → draining',
      'none → none',
    ])
  })
})
