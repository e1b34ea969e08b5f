import { beforeEach, describe, expect, it } from 'vitest'
import {
  type EndpointSlice,
  LABEL_SERVICE_NAME,
  LABEL_ZONE,
  type Node,
  type Pod,
  plan,
  type Service,
} from '../endpointslice/index.ts'
import {
  ANNOTATION_ADDRESSES,
  ANNOTATION_CLUSTER,
  ANNOTATION_NETWORK,
  ANNOTATION_SELECTOR,
  type ClusterIndex,
  type ComparisonSettings,
  createClusterIndex,
  createCrossClusterSelectors,
  type SliceState,
  seal,
} from './index.ts'
import { anythingAllowed } from './sources/permissions.fixtures.ts'

const service = (annotations: Record<string, string> = {}): Service => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-web', annotations },
  spec: { clusterIP: '10.96.0.7', ipFamilies: ['IPv4'], selector: { app: 'web' }, ports: [] },
})
const custom = (annotations: Record<string, string>): Service => ({
  ...service(annotations),
  spec: { clusterIP: '10.96.0.7', ipFamilies: ['IPv4'] },
})
const pod = (name: string, ip: string): Pod => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, labels: { app: 'web' } },
  spec: { containers: [], nodeName: 'n1' },
  status: { podIPs: [{ ip }], conditions: [{ type: 'Ready', status: 'True' }] },
})
const node = (zone: string): Node => ({ metadata: { name: 'n1', labels: { [LABEL_ZONE]: zone } } })

const SETTINGS: ComparisonSettings = { managedBy: 'sliceflow.dev', leftovers: 'auto' }

describe('the state of a Service', () => {
  let index: ClusterIndex
  let written: EndpointSlice[]

  const state = (settings = SETTINGS): SliceState | undefined => {
    const [compared] = index.compareAll(settings)
    return compared?.state
  }
  /** Starts a cluster whose slices are as a function leaves them. */
  function start(of: Service): void {
    index = createClusterIndex('a', of.spec?.selector === undefined ? 'custom' : 'replace')
    const pods = [pod('p', '10.0.0.1'), pod('q', '10.0.0.2')]
    written = plan({ service: of, pods, nodes: [node('z1')], slices: [] }).create
    index.services.put(of)
    index.nodes.put(node('z1'))
    for (const each of pods) index.pods.put(each)
    for (const each of written) index.slices.put(each)
  }
  beforeEach(() => start(service()))

  it.each<[string, () => unknown]>([
    ['a pod came', () => index.pods.put(pod('new', '10.0.0.3'))],
    ['a pod went', () => index.pods.remove(pod('p', '10.0.0.1'))],
    ['a slice was deleted', () => written.map((slice) => index.slices.remove(slice))],
    [
      'a slice was edited',
      () => written.map((slice) => index.slices.put({ ...slice, ports: [{ port: 1 }] })),
    ],
    [
      'the Service has another port',
      () => index.services.put({ ...service(), spec: { ...service().spec, ports: [{ port: 80 }] } }),
    ],
    ['the Service is gone', () => index.services.remove(service())],
  ])('is wrong where %s', (_what, change) => {
    change()
    expect(state()).toBe('wrong')
  })

  it.each([
    ['keep', 'right'],
    ['delete', 'wrong'],
  ] as const)('with leftovers %s is %s where it is not ours any more', (leftovers, expected) => {
    index.services.put({ ...service(), spec: {} })
    for (const each of written) index.slices.put(seal(each))
    expect(state({ ...SETTINGS, leftovers })).toBe(expected)
  })

  it('is right where slices stay for not being ours, though their Service is not ours or gone', () => {
    index.services.put({ ...service(), spec: {} })
    expect(state({ ...SETTINGS, leftovers: 'delete' })).toBe('right')
    index.services.remove(service())
    for (const { metadata, ...each } of written)
      index.slices.put({ ...each, metadata: { ...metadata, ownerReferences: [] } })
    expect(state()).toBe('right')
  })

  it.each([
    ['pods of another cluster', { [ANNOTATION_SELECTOR]: 'app=web', [ANNOTATION_CLUSTER]: 'b' }],
    ['another network', { [ANNOTATION_SELECTOR]: 'app=web', [ANNOTATION_NETWORK]: 'storage' }],
    ['addresses of its own', { [ANNOTATION_ADDRESSES]: '10.0.0.5' }],
    ['an annotation that cannot be understood', { [ANNOTATION_SELECTOR]: '' }],
    [
      'topology hints by CPU',
      { [ANNOTATION_SELECTOR]: 'app=web', 'service.kubernetes.io/topology-mode': 'Auto' },
    ],
  ])('is not known with %s', (_what, annotations) => {
    start(custom({ [ANNOTATION_SELECTOR]: 'app=web' }))
    expect(state()).toBe('right')
    index.services.put(custom(annotations))
    expect(state()).toBe('unknown')
  })

  it('is not known while the Service is being deleted, or with a pod that is too large to remember', () => {
    const deleted = service()
    deleted.metadata = { ...deleted.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }
    index.services.put(deleted)
    expect(state()).toBe('unknown')
    index.services.put(service())
    index.pods.put({ ...pod('p', '10.0.0.1'), spec: { containers: [], hostname: 'x'.repeat(500) } })
    expect(state()).toBe('unknown')
  })

  it('is given on each key of the cluster, and on none of another', () => {
    const selectors = createCrossClusterSelectors()
    const a = createClusterIndex('a', 'custom', selectors, anythingAllowed('a'))
    const b = createClusterIndex('b', 'custom', selectors)
    a.services.put(custom({ [ANNOTATION_SELECTOR]: 'app=web', [ANNOTATION_CLUSTER]: 'b' }))
    b.pods.put(pod('p', '10.0.0.1'))
    b.slices.put(
      seal({
        metadata: { name: 'old', namespace: 'shop', labels: { [LABEL_SERVICE_NAME]: 'gone' } },
        addressType: 'IPv4',
        endpoints: [],
      }),
    )
    expect([...a.compareAll(SETTINGS)]).toEqual([
      { cluster: 'a', namespace: 'shop', service: 'web', state: 'unknown' },
    ])
    expect([...b.compareAll(SETTINGS)]).toEqual([
      { cluster: 'b', namespace: 'shop', service: 'gone', state: 'wrong' },
    ])
  })
})
