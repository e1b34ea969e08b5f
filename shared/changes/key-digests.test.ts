import { beforeEach, describe, expect, it } from 'vitest'
import {
  type EndpointSlice,
  LABEL_SERVICE_NAME,
  LABEL_ZONE,
  type Node,
  type Pod,
  type Service,
} from '../endpointslice/index.ts'
import { type ClusterIndex, createClusterIndex, createCrossClusterSelectors, keyText } from './index.ts'
import { anythingAllowed } from './sources/permissions.fixtures.ts'

const service = (name: string, more: Partial<Service['spec']> = {}): Service => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}` },
  spec: { selector: { app: name }, ...more },
})
const pod = (name: string, app: string, ip: string, node = 'n1'): Pod => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, labels: { app } },
  spec: { containers: [], nodeName: node },
  status: { podIPs: [{ ip }], conditions: [{ type: 'Ready', status: 'True' }] },
})
const node = (name: string, zone: string, cpu = '4'): Node => ({
  metadata: { name, labels: { [LABEL_ZONE]: zone } },
  status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: 'True' }] },
})
const slice = (name: string, of: string, resourceVersion: string): EndpointSlice => ({
  metadata: { name, namespace: 'shop', resourceVersion, labels: { [LABEL_SERVICE_NAME]: of } },
  addressType: 'IPv4',
  endpoints: [],
})
const key = (name: string) => keyText({ cluster: 'a', namespace: 'shop', service: name })

type Step = (index: ClusterIndex) => unknown
const SCENE: readonly Step[] = [
  ({ services }) => services.put(service('web')),
  ({ services }) => services.put(service('api')),
  ({ nodes }) => nodes.put(node('n1', 'z1')),
  ({ nodes }) => nodes.put(node('n2', 'z2')),
  ({ pods }) => pods.put(pod('w1', 'web', '10.0.0.1')),
  ({ pods }) => pods.put(pod('w2', 'web', '10.0.0.2', 'n2')),
  ({ pods }) => pods.put(pod('a1', 'api', '10.0.1.1')),
  ({ slices }) => slices.put(slice('web-1', 'web', '5')),
  ({ slices }) => slices.put(slice('gone-1', 'gone', '6')),
]
function indexOf(steps: readonly Step[]): ClusterIndex {
  const index = createClusterIndex('a', 'replace')
  for (const step of steps) step(index)
  return index
}

describe('the digests of keys', () => {
  let index: ClusterIndex
  beforeEach(() => {
    index = indexOf(SCENE)
  })

  /** Returns the names of the keys whose digest the step changed. */
  function changedBy(...steps: Step[]): string[] {
    const before = index.digests()
    for (const step of steps) step(index)
    const after = index.digests()
    const keys = new Set([...before.keys(), ...after.keys()])
    return [...keys]
      .filter((each) => before.get(each) !== after.get(each))
      .map((each) => each.slice('a/shop/'.length))
  }

  it('are there for every key', () => {
    expect([...index.digests().keys()].sort()).toEqual(['api', 'gone', 'web'].map(key))
  })

  it('are not there for a Service that is not managed, nor for a slice of none', () => {
    index.services.put({ metadata: { name: 'plain', namespace: 'shop', uid: 'u' }, spec: {} })
    index.slices.put({ ...slice('stray-1', '', '7'), metadata: { name: 'stray-1', namespace: 'shop' } })
    expect([...index.digests().keys()].sort()).toEqual(['api', 'gone', 'web'].map(key))
  })

  it('change with nothing that a Service of another cluster takes, whatever that is called', () => {
    const selectors = createCrossClusterSelectors()
    const [a, b] = ['a', 'b'].map((cluster) =>
      createClusterIndex(cluster, 'custom', selectors, anythingAllowed(cluster)),
    )
    const named = (annotations: Record<string, string>): Service => ({
      metadata: { name: 'web', namespace: 'shop', uid: 'u', annotations },
      spec: {},
    })
    const taking = named({ 'sliceflow.dev/selector': 'app=web', 'sliceflow.dev/cluster': 'a' })
    a?.services.put(named({ 'sliceflow.dev/selector': 'app=other' }))
    const before = a?.digests()
    b?.services.put(taking)
    a?.pods.put(pod('w1', 'web', '10.0.0.1'))
    expect(a?.digests()).toEqual(before)
    a?.services.remove(named({}))
    expect(a?.digests().size).toBe(0)
  })

  it('are the same whatever the order in which the objects came', () => {
    expect(indexOf(SCENE.toReversed()).digests()).toEqual(index.digests())
  })

  it('are the same in every version of Sliceflow that reads the same checkpoints', () => {
    // Where this fails, count up KEY_DIGEST_VERSION and write down the new digest.
    expect(index.digests().get(key('web'))).toBe('6HNy5cj1ZYDDFXoCXptc8z')
  })

  it('change with a pod of the Service’s, and no other', () => {
    expect(changedBy(({ pods }) => pods.put(pod('w1', 'web', '10.0.0.9')))).toEqual(['web'])
    expect(changedBy(({ pods }) => pods.remove(pod('w1', 'web', '10.0.0.9')))).toEqual(['web'])
    expect(changedBy(({ pods }) => pods.put(pod('a1', 'web', '10.0.1.1')))).toEqual(['web', 'api'])
  })

  it('change with the Service and with its slices', () => {
    expect(changedBy(({ services }) => services.put(service('web', { type: 'NodePort' })))).toEqual(['web'])
    expect(changedBy(({ slices }) => slices.put(slice('web-1', 'web', '8')))).toEqual(['web'])
    expect(changedBy(({ slices }) => slices.remove(slice('web-1', 'web', '8')))).toEqual(['web'])
    expect(changedBy(({ slices }) => slices.remove(slice('gone-1', 'gone', '6')))).toEqual(['gone'])
  })

  it('change with a Service that is not managed as long as slices of it are there', () => {
    const plain = (annotations: Record<string, string>): Service => ({
      metadata: { name: 'gone', namespace: 'shop', uid: 'uid-gone', annotations },
      spec: {},
    })
    expect(changedBy(({ services }) => services.put(plain({})))).toEqual(['gone'])
    expect(changedBy(({ services }) => services.put(plain({ 'sliceflow.dev/release': 'now' })))).toEqual([
      'gone',
    ])
    index.slices.remove(slice('gone-1', 'gone', '6'))
    expect(changedBy(({ services }) => services.put(plain({})))).toEqual([])
  })

  it('change with the zone of a node that has pods of the Service, but not with its capacity', () => {
    expect(changedBy(({ nodes }) => nodes.put(node('n2', 'z3')))).toEqual(['web'])
    expect(changedBy(({ nodes }) => nodes.put(node('n2', 'z3', '8')))).toEqual([])
  })

  it('change when a node of its pods comes, also one without a zone, and when it goes', () => {
    expect(changedBy(({ nodes }) => nodes.remove(node('n2', 'z2')))).toEqual(['web'])
    expect(changedBy(({ nodes }) => nodes.put({ metadata: { name: 'n2' } }))).toEqual(['web'])
  })

  it('change with the capacity of any node where the Service has topology hints', () => {
    const hinted = service('hinted')
    index.services.put({
      ...hinted,
      metadata: { ...hinted.metadata, annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } },
    })
    expect(changedBy(({ nodes }) => nodes.put(node('n1', 'z1', '8')))).toEqual(['hinted'])
  })

  it('do not change when a thing changed and changed back, unless the slices did', () => {
    const there: Step = ({ pods }) => pods.put(pod('w1', 'web', '10.0.0.9'))
    const back: Step = ({ pods }) => pods.put(pod('w1', 'web', '10.0.0.1'))
    expect(changedBy(there, back)).toEqual([])
    expect(changedBy(there, ({ slices }) => slices.put(slice('web-1', 'web', '9')), back)).toEqual(['web'])
  })

  it('are not there for a Service that takes pods of another cluster', () => {
    const selectors = createCrossClusterSelectors()
    const [a, b] = ['a', 'b'].map((cluster) =>
      createClusterIndex(cluster, 'custom', selectors, anythingAllowed(cluster)),
    )
    const annotations = { 'sliceflow.dev/selector': 'app=web', 'sliceflow.dev/cluster': 'b' }
    a?.services.put({ metadata: { name: 'web', namespace: 'shop', uid: 'u', annotations }, spec: {} })
    b?.pods.put(pod('w1', 'web', '10.0.0.1'))
    expect(a?.keys()).toHaveLength(1)
    expect(b?.keys()).toHaveLength(1)
    expect(a?.digests().size).toBe(0)
    expect(b?.digests().size).toBe(0)
  })
})
