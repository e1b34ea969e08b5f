import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Endpoint,
  type EndpointSlice,
  LABEL_SERVICE_NAME,
  type Pod,
  plan,
  type Service,
} from '../endpointslice/index.ts'
import { type Change, type ClusterIndex, createClusterIndex, seal } from './index.ts'

const WEB = { cluster: 'a', namespace: 'shop', service: 'web' }
const service = (annotations: Record<string, string> = {}): Service => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-web', annotations },
  spec: { clusterIP: '10.96.0.7', ipFamilies: ['IPv4'], selector: { app: 'web' }, ports: [] },
})
const pod = (name: string, isReady = true): Pod => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '1', labels: { app: 'web' } },
  spec: { containers: [], nodeName: 'n1' },
  status: {
    podIPs: [{ ip: `10.0.0.${name.charCodeAt(0)}` }],
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
  },
})
const node = { metadata: { name: 'n1' } }
const slicesOf = (...pods: Pod[]): EndpointSlice[] =>
  plan({ service: service(), pods, nodes: [node], slices: [] }).create.map(seal)
const slicesOfService = (
  { labels, spec }: { labels?: Record<string, string>; spec?: Service['spec'] },
  ...pods: Pod[]
): EndpointSlice[] => {
  const { metadata, ...of } = service()
  const other = { metadata: { ...metadata, ...(labels && { labels }) }, spec: { ...of.spec, ...spec } }
  const slices = slicesOf(...pods)
  const planned = plan({
    service: other as Service,
    pods,
    nodes: [node],
    slices: pods.length > 0 ? slices : [],
  })
  return [...planned.update, ...planned.create].map(seal)
}
let version = 1
const versioned = (slice: EndpointSlice): EndpointSlice => ({
  ...slice,
  metadata: { ...slice.metadata, resourceVersion: String(++version) },
})
const named = (name: string, slice: EndpointSlice | undefined): EndpointSlice =>
  seal({ ...slice, metadata: { ...slice?.metadata, name } } as EndpointSlice)

/** Makes the index of a cluster that was listed with the Pods `p` and `q`. */
function indexOf(of: Service, slices: readonly EndpointSlice[]): ClusterIndex {
  const index = createClusterIndex('a', 'replace')
  const kinds = [index.services, index.pods, index.nodes, index.slices]
  for (const kind of kinds) kind.listing()
  index.services.put(of)
  index.nodes.put(node)
  for (const name of ['p', 'q']) index.pods.put(pod(name))
  for (const slice of slices) index.slices.put(slice)
  for (const kind of kinds) kind.listed('1')
  return index
}

describe('a slice that is deleted', () => {
  const [ofP, ofBoth] = [slicesOf(pod('p')), slicesOf(pod('p'), pod('q'))].map(([slice]) => slice)
  const [one, all] = [named('one', ofP), named('all', ofBoth)]
  const change = [expect.objectContaining(WEB)]

  it('is no change where others publish its Pods, as where a sync has deleted it', () => {
    const index = indexOf(service(), [one, all])
    expect(index.slices.remove(one)).toEqual([])
    expect(index.slices.remove(all)).toEqual(change)
    index.services.remove(service())
    expect(index.slices.remove(all)).toEqual([])
  })

  it('is none where it is missing in a list, either', () => {
    const index = indexOf(service(), [one, all])
    index.slices.listing()
    index.slices.put(all)
    expect(index.slices.listed('2')).toEqual([])
    index.slices.listing()
    expect(index.slices.listed('3')).toEqual(change)
  })

  it.each<[string, (index: ClusterIndex) => unknown, EndpointSlice?]>([
    ['had no Pods', () => {}, named('one', { ...one, endpoints: [] })],
    ['was edited before', () => {}, { ...one, endpoints: [] }],
    [
      'leaves an edited one',
      (index) => index.slices.put({ ...all, endpoints: all.endpoints?.slice(1) ?? [] }),
    ],
    ['had Pods whose state is published wrongly', (index) => index.pods.put(pod('p', false))],
    [
      'was held by a finalizer',
      () => {},
      { ...one, metadata: { ...one.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    ],
    ['had Pods, which are being listed', (index) => index.pods.listing()],
  ])('is one where it %s', (_what, happen, deleted = one) => {
    const index = indexOf(service(), [deleted, all])
    happen(index)
    expect(index.slices.remove(deleted)).toEqual(change)
  })
})

describe('a slice that a function has written', () => {
  let index: ClusterIndex

  function start(of: Service, slices: readonly EndpointSlice[]): void {
    index = indexOf(of, slices)
  }
  const written = (...slices: EndpointSlice[]): Change[] => [
    ...slices.flatMap((slice) => index.slices.put(versioned(slice))),
    ...index.verify(WEB),
  ]
  beforeEach(() => start(service(), slicesOf(pod('p'), pod('q'))))

  it('is no change where its Pods are published as they are', () => {
    index.pods.put(pod('q', false))
    expect(written(...slicesOf(pod('p'), pod('q', false)))).toEqual([])
  })

  it.each<readonly [string, () => EndpointSlice[]]>([
    ['as it was before', () => slicesOf(pod('p'), pod('q', false))],
    ['not at all', () => slicesOf(pod('p'))],
    [
      'with another address',
      () => slicesOf(pod('p'), { ...pod('q'), status: { podIPs: [{ ip: '10.0.0.9' }] } } as Pod),
    ],
    ['in two slices', () => [named('another', slicesOf(pod('q'))[0])]],
  ])('is a change of a Pod that it publishes %s', (_, slices) => {
    expect(written(...slices())).toEqual([{ ...WEB, pods: ['q'] }])
  })

  it('is a change of a Pod that is gone, or that the Service does not take any more', () => {
    expect(written(...slicesOf(pod('p'), pod('q'), pod('r')))).toEqual([{ ...WEB, pods: ['r'] }])
    index.pods.put({ ...pod('q'), metadata: { ...pod('q').metadata, labels: {} } })
    expect(written(...slicesOf(pod('p'), pod('q', false)))).toEqual([{ ...WEB, pods: ['q'] }])
  })

  it('is no change where a further write has put it right', () => {
    expect(written(...slicesOf(pod('p')), ...slicesOf(pod('p'), pod('q')))).toEqual([])
  })

  it('is no change of Pods that the write left as they were, right or wrong', () => {
    index.pods.put(pod('p', false))
    expect(written(...slicesOf(pod('p'), pod('q')))).toEqual([])
  })

  it.each([
    ['with other ports', { spec: { ports: [{ port: 81 }] } }],
    ['with other labels', { labels: { team: 'x' } }],
  ])('is a change of all its Pods where it is %s, though their endpoints are right', (_, other) => {
    expect(written(...slicesOfService(other, pod('p'), pod('q')))).toEqual([{ ...WEB, pods: ['p', 'q'] }])
    expect(written(...slicesOf(pod('p'), pod('q')))).toEqual([])
  })

  it('is a change of the whole Service where it has no Pods, and another family or other labels', () => {
    const [six] = slicesOfService({ spec: { ipFamilies: ['IPv6'] } })
    const placeholder = named('six', six)
    expect(written(placeholder)).toEqual([WEB])
    index.slices.remove(placeholder)
    expect(index.verify(WEB)).toEqual([])
    const dual: Service = { ...service(), spec: { ...service().spec, ipFamilies: ['IPv4', 'IPv6'] } }
    index.services.put(dual)
    expect(written(placeholder)).toEqual([])
    const labelled = { ...placeholder.metadata?.labels, team: 'x' }
    expect(
      written(seal({ ...placeholder, metadata: { ...placeholder.metadata, labels: labelled } })),
    ).toEqual([WEB])
  })

  it('is a change of the whole Service where it is one too many, as none of its family is empty but alone', () => {
    const [empty] = slicesOf()
    const placeholder = named('empty', empty)
    expect(written(placeholder)).toEqual([WEB])
    expect(written(named('empty', slicesOf(pod('q'))[0]))).toEqual([{ ...WEB, pods: ['q'] }])
    start(service(), [])
    index.pods.remove(pod('p'))
    index.pods.remove(pod('q'))
    expect(written(placeholder)).toEqual([])
    expect(written(named('another', empty))).toEqual([WEB])
    index.slices.remove(placeholder)
    expect(index.verify(WEB)).toEqual([])
  })

  it('is a change of those Pods alone that are not published as they are, however many it wrote', () => {
    start(service(), [])
    for (const name of ['p', 'q']) index.pods.put(pod(name, false))
    expect(written(...slicesOf(pod('p'), pod('q', false)))).toEqual([{ ...WEB, pods: ['p'] }])
    expect(written(...slicesOf(pod('p'), pod('q')))).toEqual([{ ...WEB, pods: ['p', 'q'] }])
    expect(written(...slicesOf(pod('p', false), pod('q')))).toEqual([{ ...WEB, pods: ['q'] }])
  })

  it('is verified again until it is right', () => {
    expect(written(...slicesOf(pod('p'), pod('q', false)))).toEqual([{ ...WEB, pods: ['q'] }])
    expect(index.verify(WEB)).toEqual([{ ...WEB, pods: ['q'] }])
    expect(written(...slicesOf(pod('p', false), pod('q', false)))).toEqual([{ ...WEB, pods: ['q', 'p'] }])
    index.pods.put(pod('q', false))
    index.pods.put(pod('p', false))
    expect(index.verify(WEB)).toEqual([])
    index.pods.put(pod('q'))
    expect(index.verify(WEB)).toEqual([])
  })

  it('may be anything once somebody has edited it', () => {
    const [slice] = slicesOf(pod('p'), pod('q'))
    const endpoints: Endpoint[] = []
    expect(written({ ...slice, endpoints } as EndpointSlice)).toEqual([WEB])
  })

  it('is not verified during the first list, nor where Pods alone do not tell', () => {
    const wrong = slicesOf(pod('p'), pod('q', false))
    const first = createClusterIndex('a', 'replace')
    first.services.put(service())
    first.pods.put(pod('q'))
    first.slices.listing()
    expect([...wrong.flatMap((slice) => first.slices.put(slice)), ...first.verify(WEB)]).toEqual([])
    start(service({ 'service.kubernetes.io/topology-mode': 'Auto' }), slicesOf(pod('p'), pod('q')))
    expect(written(...wrong)).toEqual([])
  })

  it('of another Service says nothing', () => {
    const other = named('other', slicesOf(pod('q', false))[0])
    const labels = { ...other.metadata?.labels, [LABEL_SERVICE_NAME]: 'gone' }
    expect(written(seal({ ...other, metadata: { ...other.metadata, labels } }))).toEqual([])
  })

  it('is a change of a Service that is gone, or has none any more, as long as the slice is there', () => {
    const slices = slicesOf(pod('p'))
    index.services.remove(service())
    expect(written(...slices)).toEqual([WEB])
    expect(index.verify(WEB)).toEqual([])
    const { selector: _, ...spec } = service().spec ?? {}
    index.services.put({ ...service(), spec })
    expect(written(...slices)).toEqual([WEB])
    for (const slice of slices) index.slices.put(versioned(slice))
    for (const slice of [...slices, ...slicesOf(pod('p'), pod('q'))]) index.slices.remove(slice)
    expect(index.verify(WEB)).toEqual([])
  })
})

describe('Pods that changed', () => {
  let index: ClusterIndex
  const both = () => slicesOf(pod('p'), pod('q'))

  function start(slices: readonly EndpointSlice[], of = service()): void {
    index = indexOf(of, slices)
  }
  const isPublished = (...pods: string[]): boolean => index.isPublished({ ...WEB, pods })

  it('need no sync where they are published as they are, or gone and not published', () => {
    start(both())
    expect(isPublished('p', 'q')).toBe(true)
    expect(isPublished('gone')).toBe(true)
  })

  it('need one where one of them is published otherwise, not at all, or twice', () => {
    start(both())
    index.pods.put(pod('q', false))
    expect(isPublished('p')).toBe(true)
    expect(isPublished('p', 'q')).toBe(false)
    start(slicesOf(pod('p')))
    expect(isPublished('q')).toBe(false)
    start([...both(), named('another', slicesOf(pod('q'))[0])])
    expect(isPublished('q')).toBe(false)
  })

  it.each<readonly [string, () => void]>([
    ['there is no slice', () => start([])],
    [
      'a slice was edited',
      () => start(both().map((slice) => ({ ...slice, metadata: { ...slice.metadata, annotations: {} } }))),
    ],
    ['a slice is empty', () => start([...both(), named('empty', slicesOf()[0])])],
    [
      'topology hints are asked for',
      () => start(both(), service({ 'service.kubernetes.io/topology-mode': 'Auto' })),
    ],
  ])('need one where %s', (_, given) => {
    given()
    expect(isPublished('gone')).toBe(false)
  })

  it('need none while their node is not known, and one once it is', () => {
    start(slicesOf(pod('p')))
    index.pods.put({ ...pod('q'), spec: { containers: [], nodeName: 'n2' } })
    expect(isPublished('q')).toBe(true)
    index.nodes.put({ metadata: { name: 'n2' } })
    expect(isPublished('q')).toBe(false)
  })

  it('need one where what one of them is was too much to remember', () => {
    start(both())
    index.pods.put({ ...pod('q'), spec: { containers: [], nodeName: 'n1', hostname: 'h'.repeat(500) } })
    expect(isPublished('p', 'q')).toBe(false)
    expect(isPublished('p')).toBe(true)
  })

  it('need one while Pods are listed', () => {
    start(both())
    index.pods.listing()
    expect(isPublished('p')).toBe(false)
    index.pods.listed('2')
    expect(isPublished('p')).toBe(false)
    expect(isPublished('gone')).toBe(true)
  })

  it('need one where it is not said which they are, or the Service is not known', () => {
    start(both())
    expect(index.isPublished(WEB)).toBe(false)
    expect(index.isPublished({ ...WEB, service: 'other', pods: ['p'] })).toBe(false)
    expect(index.isPublished({ ...WEB, cluster: 'b', pods: ['p'] })).toBe(false)
  })
})
