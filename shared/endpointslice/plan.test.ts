import { describe, expect, it } from 'vitest'
import { plan } from './index.ts'
import {
  aPod,
  applied,
  aService,
  NAMESPACE,
  NODES,
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
})

describe('the stats', () => {
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
})
