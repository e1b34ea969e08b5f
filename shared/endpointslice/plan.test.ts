import { describe, expect, it } from 'vitest'
import { plan } from './index.ts'
import {
  aPod,
  applied,
  aService,
  endpointsOf,
  HTTP,
  NAMESPACE,
  NODES,
  nameOf,
  podNames,
  podsNumbered,
  SERVICE_UID,
  writes,
} from './plan.fixtures.ts'
import type { EndpointSlice, Pod, Service } from './types.ts'

const max = (maxEndpointsPerSlice: number) => ({ maxEndpointsPerSlice })

/** Returns the slices of a Service whose pods were published before. */
function published(service: Service, pods: readonly Pod[], options = {}): EndpointSlice[] {
  return applied([], plan({ service, pods, nodes: NODES, slices: [] }, options))
}

function replan(service: Service, pods: readonly Pod[], slices: readonly EndpointSlice[], options = {}) {
  return plan({ service, pods, nodes: NODES, slices }, options)
}

describe('address types', () => {
  const dual = aService({ ipFamilies: ['IPv6', 'IPv4'] })

  it('are planned each on its own', () => {
    const slices = published(dual, [aPod('p', { ips: ['10.0.0.1', 'fd00::1'] })])
    expect(slices.map(({ addressType }) => addressType).sort()).toEqual(['IPv4', 'IPv6'])
    expect(endpointsOf(slices).map(({ addresses }) => addresses[0])).toContain('fd00::1')
  })

  it('that the Service no longer has lose their slices', () => {
    const slices = published(dual, [aPod('p', { ips: ['10.0.0.1', 'fd00::1'] })])
    const result = replan(aService(), [aPod('p', { ips: ['10.0.0.1', 'fd00::1'] })], slices)
    expect(writes(result)).toEqual([0, 0, 1])
    expect(result.delete[0]?.addressType).toBe('IPv6')
  })

  it('without any address get a placeholder', () => {
    const slices = published(dual, [aPod('p')])
    expect(slices.find(({ addressType }) => addressType === 'IPv6')?.endpoints).toEqual([])
  })
})

describe('a new slice', () => {
  const service = aService(
    { clusterIP: 'None' },
    { labels: { team: 'core', 'endpointslice.kubernetes.io/managed-by': 'a user' } },
  )

  it('has the labels of the Service and the reserved ones, and the Service as its controller', () => {
    const [slice] = plan({ service, pods: [aPod('p')], nodes: NODES, slices: [] }, { managedBy: 'me' }).create
    expect(slice?.metadata).toEqual({
      name: expect.stringMatching(/^web-[bcdfghjklmnpqrstvwxz2-9]{8}$/),
      generateName: 'web-',
      namespace: NAMESPACE,
      labels: {
        team: 'core',
        'kubernetes.io/service-name': 'web',
        'endpointslice.kubernetes.io/managed-by': 'me',
        'service.kubernetes.io/headless': '',
      },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Service',
          name: 'web',
          uid: SERVICE_UID,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    })
  })

  it('is a placeholder without endpoints and ports when there is nothing to publish', () => {
    const [slice, ...others] = plan({ service, pods: [], nodes: NODES, slices: [] }).create
    expect(slice).toMatchObject({ addressType: 'IPv4', endpoints: [], ports: [] })
    expect(others).toEqual([])
  })

  it('is not made for a Service that is being deleted', () => {
    const deleted = aService({}, { deletionTimestamp: '2026-03-01T12:00:00Z' })
    expect(writes(plan({ service: deleted, pods: [aPod('p')], nodes: NODES, slices: [] }))).toEqual([0, 0, 0])
  })
})

describe('port sets', () => {
  const named = aService({ ports: [{ ...HTTP, targetPort: 'http' }] })
  const withPort = (name: string, ip: string, containerPort: number) =>
    aPod(name, {
      ips: [ip],
      spec: { containers: [{ name: 'app', ports: [{ name: 'http', containerPort }] }] },
    })

  it('have slices of their own', () => {
    const slices = published(named, [withPort('a', '10.0.0.1', 8080), withPort('b', '10.0.0.2', 9090)])
    expect(slices.map(({ ports }) => ports?.[0]?.port).sort()).toEqual([8080, 9090])
  })

  it('that no pod has any more lose their slice to the one that is needed now', () => {
    const slices = published(named, [withPort('a', '10.0.0.1', 8080)])
    const result = replan(named, [withPort('b', '10.0.0.2', 9090)], slices)
    expect(writes(result)).toEqual([0, 1, 0])
    expect(result.update[0]?.metadata).toMatchObject({
      name: nameOf(slices[0] as EndpointSlice),
      uid: slices[0]?.metadata?.uid,
      resourceVersion: slices[0]?.metadata?.resourceVersion,
    })
    expect(result.update[0]?.ports?.[0]?.port).toBe(9090)
  })

  it('are without the ports that the pods do not have', () => {
    const ports = [
      { ...HTTP, targetPort: 'http' },
      { name: 'raw', port: 5000, protocol: 'TCP', targetPort: 5000 },
    ]
    const [slice] = published(aService({ ports }), [aPod('p')])
    expect(slice?.ports).toEqual([{ name: 'raw', port: 5000, protocol: 'TCP' }])
  })
})

describe('slices that are there', () => {
  const service = aService({}, { labels: { team: 'core' } })
  const slices = published(service, podsNumbered(2))
  const edited = (change: (slice: EndpointSlice) => void) =>
    structuredClone(slices).map((slice) => {
      change(slice)
      return slice
    })

  it('get the labels of the Service, and lose those that it does not have', () => {
    const result = replan(
      service,
      podsNumbered(2),
      edited(({ metadata }) => {
        if (metadata) metadata.labels = { ...metadata.labels, team: 'other', more: 'x' }
      }),
    )
    expect(writes(result)).toEqual([0, 1, 0])
    expect(result.update[0]?.metadata?.labels).toEqual(slices[0]?.metadata?.labels)
  })

  it('are not written for a reserved label alone', () => {
    const result = replan(
      service,
      podsNumbered(2),
      edited(({ metadata }) => {
        if (metadata) metadata.labels = { ...metadata.labels, 'service.kubernetes.io/headless': '' }
      }),
    )
    expect(writes(result)).toEqual([0, 0, 0])
  })

  it.each([
    ['a slice with endpoints', podsNumbered(2)],
    ['a placeholder', []],
  ])('get all their labels back where all are compared: %s', (_what, pods) => {
    const right = published(service, pods)
    const hidden = structuredClone(right)
    for (const { metadata } of hidden)
      Object.assign(metadata?.labels ?? {}, { 'service.kubernetes.io/headless': '', odd: '' })
    const result = replan(service, pods, hidden, { comparedLabels: 'all' })
    expect(writes(result)).toEqual([0, 1, 0])
    expect(result.update[0]?.metadata?.labels).toEqual(right[0]?.metadata?.labels)
    expect(writes(replan(service, pods, right, { comparedLabels: 'all' }))).toEqual([0, 0, 0])
  })

  it('of an older Service of the same name are deleted and never reused', () => {
    const newer = aService({}, { uid: 'uid-newer' })
    const result = replan(newer, podsNumbered(2), slices)
    expect(writes(result)).toEqual([1, 0, 1])
  })

  it('that are being deleted are taken for absent, and their names for used', () => {
    const going = edited(({ metadata }) => {
      if (metadata) metadata.deletionTimestamp = '2026-03-01T12:00:00Z'
    })
    const result = replan(service, podsNumbered(2), going)
    expect(writes(result)).toEqual([1, 0, 0])
    expect(nameOf(result.create[0] as EndpointSlice)).not.toBe(nameOf(slices[0] as EndpointSlice))
  })

  it('keep foreign annotations when they are written', () => {
    const annotated = edited(({ metadata }) => {
      if (metadata) metadata.annotations = { note: 'x' }
    })
    const result = replan(service, podsNumbered(3), annotated)
    expect(result.update[0]?.metadata?.annotations).toEqual({ note: 'x' })
  })

  it('stay as a placeholder when they are one', () => {
    const placeholder = published(service, [])
    expect(writes(replan(service, [], placeholder))).toEqual([0, 0, 0])
  })

  it('become the placeholder when the last pod goes', () => {
    const result = replan(service, [], slices)
    expect(writes(result)).toEqual([0, 1, 0])
    expect(result.update[0]).toMatchObject({ endpoints: [], ports: [] })
  })
})

describe('the trigger time', () => {
  const key = 'endpoints.kubernetes.io/last-change-trigger-time'

  it('stands on every slice that is written, in UTC', () => {
    const options = { ...max(1), triggerTime: '2026-03-01T14:00:00.120+02:00' }
    for (const slice of published(aService(), podsNumbered(2), options)) {
      expect(slice.metadata?.annotations).toEqual({ [key]: '2026-03-01T12:00:00.12Z' })
    }
  })

  it('is removed from a slice that is written without one', () => {
    const slices = published(aService(), podsNumbered(1), { triggerTime: '2026-03-01T12:00:00Z' })
    const result = replan(aService(), podsNumbered(2), slices)
    expect(result.update[0]?.metadata).not.toHaveProperty('annotations')
  })
})

describe('the stats', () => {
  it('count over both address types', () => {
    const dual = aService({ ipFamilies: ['IPv4', 'IPv6'] })
    const pods = [aPod('p', { ips: ['10.0.0.1', 'fd00::1'] }), aPod('q', { ips: ['10.0.0.2', 'fd00::2'] })]
    expect(plan({ service: dual, pods, nodes: NODES, slices: [] }, max(1)).stats).toEqual({
      endpointsDesired: 4,
      endpointsAdded: 4,
      endpointsRemoved: 0,
      slicesActual: 4,
      slicesDesired: 4,
    })
  })

  it('tell that more slices are used than needed', () => {
    const slices = published(aService(), podsNumbered(30), max(10))
    const everyFifth = podsNumbered(30).filter((_, index) => index % 5 === 0)
    expect(replan(aService(), everyFifth, slices, max(10)).stats).toMatchObject({
      endpointsRemoved: 24,
      slicesActual: 3,
      slicesDesired: 1,
    })
  })
})

describe('objects that cannot be read', () => {
  const good = { service: aService(), pods: [aPod('p')], nodes: NODES, slices: [] }

  it('are left out and named', () => {
    const pods = [aPod('p'), null, { metadata: { name: 'q', namespace: 'shop' }, status: { podIPs: 'none' } }]
    const nodes = [...NODES, { metadata: {} }]
    const slices = [{ metadata: { name: 's' }, addressType: 'IPv4', endpoints: [{ addresses: [1] }] }]
    const result = plan({ ...good, pods, nodes, slices } as never)
    expect(podNames(result.create)).toEqual(['p'])
    expect(result.skipped.map(({ kind, name, message }) => `${kind} ${name}: ${message}`)).toEqual([
      'EndpointSlice s: endpoints[0].addresses[0]: expected a string, got number',
      'Node (unnamed): metadata.name is missing',
      'Pod (unnamed): it is not an object',
      'Pod q: status.podIPs: expected a list, got string',
    ])
  })

  it('lead to an empty plan when the Service is one of them', () => {
    const slices = published(aService(), podsNumbered(3))
    const result = plan({ ...good, slices, service: { metadata: { name: 'web' } } as Service })
    expect(writes(result)).toEqual([0, 0, 0])
    expect(result.skipped).toMatchObject([{ kind: 'Service', name: 'web', reason: 'Malformed' }])
  })

  it('may lack what is not needed: nodes can be metadata alone', () => {
    const nodes = [{ metadata: { name: 'node-a', labels: { 'topology.kubernetes.io/zone': 'z' } } }]
    expect(endpointsOf(plan({ ...good, nodes }).create)[0]?.zone).toBe('z')
  })
})
