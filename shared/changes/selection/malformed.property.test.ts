import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { heapUsed } from '../../../test/support/heap.ts'
import {
  ANNOTATION_NETWORK_STATUS,
  type EndpointSelector,
  type EndpointSlice,
  LABEL_SERVICE_NAME,
  LABEL_ZONE,
  type Node,
  type Pod,
  type Service,
} from '../../endpointslice/index.ts'
import { mutated } from '../../endpointslice/malformed.fixtures.ts'
import type { Mode } from '../../settings/index.ts'
import {
  ANNOTATION_SELECTOR,
  type ClusterIndex,
  createClusterIndex,
  createCrossClusterSelectors,
  type MalformedObject,
  seal,
} from '../index.ts'

const metadata = (name: string) => ({ namespace: 'shop', name, uid: `uid-${name}`, resourceVersion: '7' })

const service = (name: string, mode: Mode): Service => ({
  metadata: {
    ...metadata(name),
    labels: { team: 'x' },
    annotations: mode === 'custom' ? { [ANNOTATION_SELECTOR]: `app=${name}` } : {},
  },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.1.0.1',
    ipFamilies: ['IPv4'],
    ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }],
    ...(mode === 'replace' && { selector: { app: name } }),
  },
})
const selector: EndpointSelector = {
  metadata: metadata('web'),
  spec: {
    selector: {
      matchLabels: { app: 'web' },
      matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }],
    },
    ipFamilies: ['IPv4'],
    ports: [{ name: 'http', protocol: 'TCP', targetPort: 8080 }],
  },
}
const pod = (name: string, app: string, ip: string): Pod => ({
  metadata: { ...metadata(name), labels: { app }, annotations: { [ANNOTATION_NETWORK_STATUS]: '[]' } },
  spec: { nodeName: 'n1', hostname: 'h', subdomain: 's', containers: [{ name: 'c', ports: [] }] },
  status: {
    phase: 'Running',
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  },
})
const node: Node = {
  metadata: { name: 'n1', labels: { [LABEL_ZONE]: 'z1' } },
  status: { allocatable: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] },
}
const slice: EndpointSlice = seal({
  metadata: { ...metadata('web-1'), labels: { [LABEL_SERVICE_NAME]: 'web' }, ownerReferences: [] },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  endpoints: [
    { addresses: ['10.0.0.1'], conditions: { ready: true }, targetRef: { kind: 'Pod', name: 'p' } },
  ],
})

/** Asks an index for whatever it can tell without an object. */
function compareAll(index: ClusterIndex): void {
  const settings = { managedBy: 'sliceflow.dev', leftovers: 'auto' } as const
  for (const key of index.compareAll(settings)) {
    const change = { ...key, pods: ['web-a', 'p'] }
    index.state(key, settings)
    index.verify(key)
    index.isPublished(change)
    index.hints(change, { maxEndpointsPerSlice: 100, maximumEndpoints: 100 })
    index.endpointCount(key)
  }
}

type Put = (index: ClusterIndex) => void
/** Makes objects of the cluster named `web`, broken in one place each. */
const broken = (mode: Mode): fc.Arbitrary<Put> =>
  fc.oneof(
    mutated(service('web', mode)).map(
      (object): Put =>
        (index) =>
          void index.services.put(object),
    ),
    mutated(service('web', mode)).map(
      (object): Put =>
        (index) =>
          void index.services.remove(object),
    ),
    mutated(selector).map(
      (object): Put =>
        (index) =>
          void index.endpointSelectors.put(object),
    ),
    mutated(selector).map(
      (object): Put =>
        (index) =>
          void index.endpointSelectors.remove(object),
    ),
    mutated(pod('web-a', 'web', '10.0.0.1')).map(
      (object): Put =>
        (index) =>
          void index.pods.put(object),
    ),
    mutated(pod('web-a', 'web', '10.0.0.1')).map(
      (object): Put =>
        (index) =>
          void index.pods.remove(object),
    ),
    mutated(node).map(
      (object): Put =>
        (index) =>
          void index.nodes.put(object),
    ),
    mutated(node).map(
      (object): Put =>
        (index) =>
          void index.nodes.remove(object),
    ),
    mutated(slice).map(
      (object): Put =>
        (index) =>
          void index.slices.put(object),
    ),
    mutated(slice).map(
      (object): Put =>
        (index) =>
          void index.slices.remove(object),
    ),
  )

describe.each(['custom', 'replace'] as const)(
  'objects that are not of the API’s form, in %s mode',
  (mode) => {
    it('never break the index, hide no other Service, and are taken up once mended', () => {
      fc.assert(
        fc.property(fc.array(broken(mode), { minLength: 1, maxLength: 6 }), (puts) => {
          const index = createClusterIndex('a', mode, createCrossClusterSelectors())
          index.services.put(service('web', mode))
          index.services.put(service('other', mode))
          for (const put of puts) {
            put(index)
            index.keys()
            index.digests()
            compareAll(index)
          }

          const named = index.pods.put(pod('other-a', 'other', '10.0.0.9')).map(({ service: name }) => name)
          expect(named).toContain('other')

          // The last one must be a change: broken pods may have been read as these.
          index.services.remove(service('web', mode))
          expect(index.services.put(service('web', mode)).map(({ service: name }) => name)).toContain('web')
          index.pods.put(pod('web-a', 'web', '10.0.0.7'))
          const mended = index.pods.put(pod('web-a', 'web', '10.0.0.8'))
          expect(mended.map(({ service: name }) => name)).toContain('web')
        }),
        { numRuns: 300 },
      )
    })
  },
)

describe('an object that is not of the API’s form', () => {
  function scene() {
    const reported: MalformedObject[] = []
    const index = createClusterIndex('a', 'replace', createCrossClusterSelectors(), {
      onMalformed: (object) => void reported.push(object),
    })
    index.services.put(service('web', 'replace'))
    return { index, reported }
  }
  const names = (changes: readonly { service: string }[]): string[] =>
    changes.map(({ service: name }) => name)
  const malformed = <T>(object: object): T => object as T

  it('is reported with where it is wrong', () => {
    const { index, reported } = scene()
    index.pods.put(malformed({ ...pod('p', 'web', '10.0.0.1'), status: { podIPs: 'all' } }))
    expect(reported).toEqual([
      { kind: 'Pod', namespace: 'shop', name: 'p', fault: 'status.podIPs: expected a list, got string' },
    ])
  })

  it('counts as gone where it was there before, as a plan leaves it out', () => {
    const { index } = scene()
    index.pods.put(pod('p', 'web', '10.0.0.1'))
    const broken = malformed<Pod>({
      ...pod('p', 'web', '10.0.0.1'),
      metadata: { ...metadata('p'), labels: ['web'] },
    })
    expect(names(index.pods.put(broken))).toEqual(['web'])
    expect(index.pods.put(broken)).toEqual([])
    expect(names(index.pods.put(pod('p', 'web', '10.0.0.1')))).toEqual(['web'])
  })

  it.each(['', 'a/b', '../x', 'x'.repeat(254), 'UPPER'])('is not remembered under the name "%s"', (name) => {
    const { index, reported } = scene()
    expect(index.services.put(malformed({ ...service('web', 'replace'), metadata: metadata(name) }))).toEqual(
      [],
    )
    expect(index.keys()).toHaveLength(1)
    expect(reported).toHaveLength(1)
  })

  it('takes no memory beyond what is needed of it, however large it is', () => {
    const index = createClusterIndex('a', 'replace', createCrossClusterSelectors())
    index.services.put(service('web', 'replace'))
    const megabyte = 'x'.repeat(1_000_000)
    const before = heapUsed()
    for (let at = 0; at < 20; at++) {
      const large = pod(`p${at}`, 'web', '10.0.0.1')
      const text = `${megabyte}${at}`
      index.pods.put({
        ...large,
        metadata: { ...large.metadata, annotations: { [ANNOTATION_NETWORK_STATUS]: text, note: text } },
        spec: { ...large.spec, hostname: text, subdomain: text, containers: [] },
      })
    }
    expect(heapUsed() - before).toBeLessThan(5_000_000)
    expect(index.digests().size).toBe(1)
  })
})
