import { describe, expect, it } from 'vitest'
import {
  type EndpointSlice,
  LABEL_SERVICE_NAME,
  LABEL_ZONE,
  type Pod,
  type Service,
} from '../endpointslice/index.ts'
import { type Change, createClusterIndex, createCrossClusterSelectors } from './index.ts'
import { anythingAllowed } from './sources/permissions.fixtures.ts'

const service = (name: string, annotations: Record<string, string>): Service => ({
  metadata: {
    name,
    namespace: 'shop',
    uid: `uid-${name}`,
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`sliceflow.dev/${key}`, value]),
    ),
  },
  spec: {},
})
const remote = service('web', { selector: 'app=web', cluster: 'b', namespace: 'backends' })

const pod = (ip: string, metadata: Pod['metadata'] = {}): Pod => ({
  metadata: {
    name: 'web-1',
    namespace: 'backends',
    uid: 'uid-1',
    resourceVersion: '7',
    labels: { app: 'web' },
    ...metadata,
  },
  spec: { containers: [], nodeName: 'n1' },
  status: { podIPs: [{ ip }], conditions: [{ type: 'Ready', status: 'True' }] },
})

function selectors() {
  const shared = createCrossClusterSelectors()
  const [a, b] = ['a', 'b'].map((cluster) =>
    createClusterIndex(cluster, 'custom', shared, anythingAllowed(cluster)),
  )
  if (a === undefined || b === undefined) throw new Error('there are two')
  return { a, b }
}
const keys = (changes: readonly Change[]): string[] =>
  changes.map(({ cluster, namespace, service: name }) => `${cluster}/${namespace}/${name}`)

describe('a Service that takes pods of another cluster', () => {
  it('is named when such a pod comes, changes or goes, without a version of that cluster', () => {
    const { a, b } = selectors()
    a.services.put(remote)
    for (const changes of [
      b.pods.put(pod('10.9.0.1')),
      b.pods.put(pod('10.9.0.2')),
      b.pods.remove(pod('10.9.0.2')),
    ]) {
      expect(keys(changes)).toEqual(['a/shop/web'])
      expect(changes[0]?.resourceVersion).toBeUndefined()
    }
  })

  it('is not named for pods of its own cluster, nor of other namespaces', () => {
    const { a, b } = selectors()
    a.services.put(remote)
    expect(a.pods.put(pod('10.0.0.1'))).toEqual([])
    expect(b.pods.put(pod('10.9.0.1', { namespace: 'shop' }))).toEqual([])
  })

  it('is named when the zone of a node there changes', () => {
    const { a, b } = selectors()
    a.services.put(remote)
    b.pods.put(pod('10.9.0.1'))
    const node = { metadata: { name: 'n1', labels: { [LABEL_ZONE]: 'zone-x' } } }
    expect(keys(b.nodes.put(node))).toEqual(['a/shop/web'])
  })

  it('is a key of both clusters, as what changed before the other one was listed is reconciled then', () => {
    const { a, b } = selectors()
    a.services.put(remote)
    expect(keys(a.keys())).toEqual(['a/shop/web'])
    expect(keys(b.keys())).toEqual(['a/shop/web'])
  })

  it('is no longer named once it takes pods of its own cluster, or is gone', () => {
    const { a, b } = selectors()
    a.services.put(remote)
    expect(keys(a.services.put(service('web', { selector: 'app=web' })))).toEqual(['a/shop/web'])
    expect(b.pods.put(pod('10.9.0.1'))).toEqual([])
    expect(keys(a.pods.put(pod('10.0.0.1', { namespace: 'shop' })))).toEqual(['a/shop/web'])
    a.services.put(remote)
    a.services.remove(remote)
    expect(b.pods.put(pod('10.9.0.3'))).toEqual([])
  })

  it('is no longer named when a list of its cluster lacks it', () => {
    const { a, b } = selectors()
    a.services.put(remote)
    a.services.listing()
    a.services.listed()
    expect(b.pods.put(pod('10.9.0.1'))).toEqual([])
  })
})

describe('a Service that takes pods of several clusters', () => {
  const several = service('web', { selector: 'app=web', cluster: 'a, b', namespace: 'backends' })

  it('is named for pods of each of them, with a version of its own cluster alone', () => {
    const { a, b } = selectors()
    a.services.put(several)
    const [own] = a.pods.put(pod('10.0.0.1'))
    const [other] = b.pods.put(pod('10.9.0.1'))
    expect(own).toMatchObject({ cluster: 'a', service: 'web', resourceVersion: '7' })
    expect(other).toMatchObject({ cluster: 'a', service: 'web' })
    expect(other?.resourceVersion).toBeUndefined()
    for (const change of [own, other])
      expect(change && a.hints(change, { maxEndpointsPerSlice: 100, maximumEndpoints: 0 })).toEqual({})
  })

  it('is a key of each of them, and of none that it does not name any more', () => {
    const { a, b } = selectors()
    a.services.put(several)
    expect(keys([...a.keys(), ...b.keys()])).toEqual(['a/shop/web', 'a/shop/web'])
    a.services.put(service('web', { selector: 'app=web', cluster: 'a', namespace: 'backends' }))
    expect(keys(b.keys())).toEqual([])
    expect(b.pods.put(pod('10.9.0.1'))).toEqual([])
    expect(keys(a.pods.put(pod('10.0.0.1')))).toEqual(['a/shop/web'])
  })
})

describe('a fleet', () => {
  it('knows of which clusters pods are taken, and tells when there is a new one', () => {
    const reported: string[] = []
    const shared = createCrossClusterSelectors((cluster) => reported.push(cluster))
    const a = createClusterIndex('a', 'custom', shared, anythingAllowed('a'))
    a.services.put(remote)
    a.services.put(service('api', { selector: 'app=api', cluster: 'b' }))
    expect(shared.clusters()).toEqual(['b'])
    a.services.remove(remote)
    expect(shared.clusters()).toEqual(['b'])
    a.services.put(service('api', { selector: 'app=api' }))
    expect(shared.clusters()).toEqual(['a'])
    a.services.put(remote)
    expect(reported).toEqual(['b', 'a', 'b'])
  })
})

describe('a Service that names what it may not', () => {
  it('is reconciled when it changes, and follows no pods of others, whatever it calls its own cluster', () => {
    const reported: string[] = []
    const shared = createCrossClusterSelectors((cluster) => reported.push(cluster))
    const [a, b] = [createClusterIndex('a', 'custom', shared), createClusterIndex('b', 'custom', shared)]
    const greedy = service('web', { selector: 'app=web', cluster: 'a', namespace: 'backends' })
    for (const one of [remote, greedy]) {
      expect(keys(a.services.put(one))).toEqual(['a/shop/web'])
      expect([...a.pods.put(pod('10.9.0.1')), ...b.pods.put(pod('10.9.0.1'))]).toEqual([])
      a.pods.remove(pod('10.9.0.1'))
      b.pods.remove(pod('10.9.0.1'))
    }
    expect(reported).toEqual([])
  })
})

describe('a Service with other sources', () => {
  it('is named when a pod’s addresses on its networks change', () => {
    const { a } = selectors()
    a.services.put(service('web', { selector: 'app=web', network: 'storage' }))
    const on = (status: string): Pod =>
      pod('10.0.0.1', { namespace: 'shop', annotations: { 'k8s.v1.cni.cncf.io/network-status': status } })
    a.pods.put(on('[]'))
    expect(keys(a.pods.put(on('[{"name":"storage","ips":["192.168.7.4"]}]')))).toEqual(['a/shop/web'])
    expect(a.pods.put(on('[{"name":"storage","ips":["192.168.7.4"]}]'))).toEqual([])
  })

  it('with addresses is named when somebody deletes its slice', () => {
    const { a } = selectors()
    a.services.put(service('web', { addresses: '10.0.0.5' }))
    const slice: EndpointSlice = {
      metadata: { name: 'web-x', namespace: 'shop', labels: { [LABEL_SERVICE_NAME]: 'web' } },
      addressType: 'IPv4',
      endpoints: [],
    }
    a.slices.put(slice)
    expect(keys(a.slices.remove(slice))).toEqual(['a/shop/web'])
  })
})
