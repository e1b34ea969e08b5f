import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type EndpointSlice,
  LABEL_SERVICE_NAME,
  LABEL_ZONE,
  type Node,
  type PlanState,
  type Pod,
  plan,
  type Service,
} from './index.ts'
import { mutated } from './malformed.fixtures.ts'

const service: Service = {
  metadata: { namespace: 'shop', name: 'web', uid: 'uid-web', labels: { team: 'x' }, annotations: {} },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.1.0.1',
    ipFamilies: ['IPv4'],
    ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }],
  },
}
const pod = (name: string, ip: string): Pod => ({
  metadata: { namespace: 'shop', name, uid: `uid-${name}`, labels: { app: 'web' }, annotations: { a: 'b' } },
  spec: {
    nodeName: 'n1',
    hostname: 'h',
    subdomain: 'web',
    initContainers: [{ name: 'i', restartPolicy: 'Always', ports: [{ containerPort: 1 }] }],
    containers: [{ name: 'c', ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }] }],
  },
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
const slice: EndpointSlice = {
  metadata: {
    namespace: 'shop',
    name: 'web-1',
    uid: 'uid-1',
    resourceVersion: '7',
    labels: { [LABEL_SERVICE_NAME]: 'web', 'endpointslice.kubernetes.io/managed-by': 'sliceflow.dev' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'uid-web', controller: true }],
  },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  endpoints: [
    {
      addresses: ['10.0.0.3'],
      conditions: { ready: true, serving: true, terminating: false },
      hints: { forZones: [{ name: 'z1' }] },
      nodeName: 'n1',
      zone: 'z1',
      targetRef: { kind: 'Pod', name: 'p3', namespace: 'shop', uid: 'uid-p3' },
    },
  ],
}

/** Returns the object with something else in one place: of a hostile server, or of a client in JavaScript. */
const odd = <T>(object: T): fc.Arbitrary<T> => fc.oneof(mutated(object), mutated(object, fc.anything()))

const addressesOf = (slices: readonly EndpointSlice[]): string[] =>
  slices.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses))

describe('a malformed object among those of a plan', () => {
  it.each<[string, fc.Arbitrary<Partial<PlanState>>]>([
    [
      'pod',
      odd(pod('p3', '10.0.0.3')).map((broken) => ({
        pods: [pod('p1', '10.0.0.1'), broken, pod('p2', '10.0.0.2')],
      })),
    ],
    ['node', odd(node).map((broken) => ({ nodes: [node, broken] }))],
    ['slice', odd(slice).map((broken) => ({ slices: [broken] }))],
  ])('never keeps the other pods from being published: a %s', (_, states) => {
    fc.assert(
      fc.property(states, fc.boolean(), (broken, topology) => {
        const annotations: Record<string, string> = topology
          ? { 'service.kubernetes.io/topology-mode': 'Auto' }
          : {}
        const state: PlanState = {
          service: { ...service, metadata: { ...service.metadata, annotations } },
          pods: [pod('p1', '10.0.0.1'), pod('p2', '10.0.0.2')],
          nodes: [node],
          slices: [],
          ...broken,
        }
        const { create, update, skipped } = plan(state)
        const published = addressesOf([...create, ...update])
        expect(published).toEqual(expect.arrayContaining(['10.0.0.1', '10.0.0.2']))
        for (const { name, message } of skipped) expect([name, message]).not.toContain('')
      }),
      { numRuns: 1000 },
    )
  })

  it('never makes a plan of a malformed Service fail, whatever else is there', () => {
    fc.assert(
      fc.property(odd(service), odd(slice), (broken, slices) => {
        expect(() =>
          plan({ service: broken, pods: [pod('p1', '10.0.0.1')], nodes: [node], slices: [slices] }),
        ).not.toThrow()
      }),
      { numRuns: 1000 },
    )
  })
})
