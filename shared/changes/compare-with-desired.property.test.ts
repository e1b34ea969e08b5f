import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type Endpoint,
  type EndpointSlice,
  LABEL_HEADLESS,
  LABEL_ZONE,
  type Node,
  type Pod,
  plan,
  type Service,
} from '../endpointslice/index.ts'
import { aPod, applied, aService } from '../endpointslice/plan.fixtures.ts'
import { type ClusterIndex, createClusterIndex, type SliceState } from './index.ts'

const MANAGED_BY = 'sliceflow.dev'
const OPTIONS = { managedBy: MANAGED_BY, maxEndpointsPerSlice: 3, comparedLabels: 'all' } as const
const chance = (oneIn: number): fc.Arbitrary<boolean> => fc.nat(oneIn - 1).map((value) => value === 0)
const anyOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values)

const nodes: fc.Arbitrary<Node[]> = fc
  .subarray(['n1', 'n2', 'n3'])
  .chain((names) => fc.tuple(...names.map((name) => anyOf('z1', 'z2', '').map((zone) => aNode(name, zone)))))
const aNode = (name: string, zone: string): Node => ({
  metadata: { name, labels: zone === '' ? {} : { [LABEL_ZONE]: zone } },
})

const container = fc.record({
  name: fc.constant('c'),
  ports: fc.array(
    fc.record({
      name: anyOf('http', 'metrics'),
      containerPort: anyOf(80, 8080),
      protocol: anyOf('TCP', 'UDP', undefined),
    }),
    { maxLength: 2 },
  ),
})
const podInput = fc.record({
  ips: fc.subarray(['10.0.0.1', '10.0.0.2', 'fd00::1', 'not an address', '10.0.0.3']),
  ready: fc.boolean(),
  terminating: chance(4),
  phase: anyOf('Running', 'Running', 'Running', 'Succeeded'),
  node: anyOf('n1', 'n2', 'n3', ''),
  uid: anyOf('u1', 'u2', 'u3'),
  app: anyOf('web', 'web', 'other'),
  spec: fc.record({
    hostname: anyOf(undefined, 'h', ''),
    subdomain: anyOf('web', 'other', undefined),
    containers: fc.array(container, { maxLength: 2 }),
    initContainers: fc.array(fc.tuple(container, anyOf('Always', undefined)), { maxLength: 1 }),
  }),
})
function podOf(
  name: string,
  { app, spec, ...input }: typeof podInput extends fc.Arbitrary<infer T> ? T : never,
): Pod {
  const initContainers = spec.initContainers.map(([each, restartPolicy]) => ({ ...each, restartPolicy }))
  const pod = aPod(name, { ...input, spec: { ...spec, initContainers } as Partial<NonNullable<Pod['spec']>> })
  return { ...pod, metadata: { ...pod.metadata, labels: { app } } }
}
const pods: fc.Arbitrary<Pod[]> = fc
  .array(podInput, { maxLength: 8 })
  .map((inputs) => inputs.map((input, at) => podOf(`p${at}`, input)))

const service: fc.Arbitrary<Service> = fc
  .record({
    ports: fc.array(
      fc.record({
        name: anyOf('http', ''),
        port: anyOf(80, 81),
        protocol: anyOf('TCP', 'UDP'),
        targetPort: anyOf<number | string>(8080, 'http', 'metrics'),
        appProtocol: anyOf(undefined, 'http'),
      }),
      { maxLength: 2 },
    ),
    ipFamilies: fc.subarray(['IPv4', 'IPv6']),
    clusterIP: anyOf('10.96.0.7', 'None', 'fd00::7'),
    publishNotReadyAddresses: anyOf(undefined, true, false),
    trafficDistribution: anyOf(undefined, undefined, 'PreferClose', 'PreferSameNode'),
    labels: anyOf<Record<string, string>>({}, { team: 'x' }, { team: '' }),
  })
  .map(({ labels, ...spec }) =>
    aService({ ...spec, selector: { app: 'web' } } as Service['spec'], { labels }),
  )

/** Damage that somebody does to slices. */
type Damage = (slices: EndpointSlice[], pick: number) => EndpointSlice[]

const onSlice =
  (change: (slice: EndpointSlice) => void): Damage =>
  (slices, pick) => {
    const copy = structuredClone(slices)
    const slice = copy[pick % Math.max(1, copy.length)]
    if (slice !== undefined) change(slice)
    return copy
  }
const onEndpoint = (change: (endpoint: Endpoint) => void): Damage =>
  onSlice(({ endpoints }) => {
    for (const endpoint of (endpoints ?? []).slice(0, 1)) change(endpoint)
  })
const DAMAGES: Damage[] = [
  (slices) => slices.slice(1),
  (slices) => slices,
  (slices) => [...slices, ...slices.slice(0, 1).map((slice) => renamed(slice, 'copy'))],
  (slices) => [
    ...slices,
    ...slices.slice(0, 1).map((slice) => ({ ...renamed(slice, 'empty'), endpoints: [] })),
  ],
  onSlice((slice) => void slice.endpoints?.pop()),
  onSlice((slice) => void slice.endpoints?.reverse()),
  onSlice((slice) => void slice.endpoints?.push(...structuredClone(slice.endpoints.slice(0, 1)))),
  onSlice((slice) => void Object.assign(slice, { endpoints: null })),
  onSlice((slice) => void Object.assign(slice, { ports: [] })),
  onSlice((slice) => void Object.assign(slice, { ports: [{ name: 'x', port: 9 }] })),
  onSlice((slice) => void Object.assign(slice, { addressType: 'IPv6' })),
  onSlice((slice) => void Object.assign(slice.metadata ?? {}, { ownerReferences: [] })),
  onSlice((slice) => void Object.assign(slice.metadata?.labels ?? {}, { team: 'y' })),
  onSlice((slice) => void Object.assign(slice.metadata?.labels ?? {}, { [LABEL_HEADLESS]: '' })),
  onSlice((slice) => void Object.assign(slice.metadata ?? {}, { annotations: { seen: 'now' } })),
  onSlice((slice) => void Object.assign(slice.metadata ?? {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })),
  onEndpoint((endpoint) => void Object.assign(endpoint, { nodeName: 'n9' })),
  onEndpoint((endpoint) => void Object.assign(endpoint, { zone: null })),
  onEndpoint((endpoint) => void Object.assign(endpoint, { hostname: 'other' })),
  onEndpoint((endpoint) => void Object.assign(endpoint, { conditions: { ready: true } })),
  onEndpoint((endpoint) => void Object.assign(endpoint.targetRef ?? {}, { uid: 'u9' })),
  onEndpoint((endpoint) => void Object.assign(endpoint.targetRef ?? {}, { apiVersion: 'v1' })),
  onEndpoint((endpoint) => void Object.assign(endpoint, { hints: { forZones: [{ name: 'z1' }] } })),
  onEndpoint((endpoint) => void endpoint.addresses?.push('10.0.0.9')),
]
const renamed = (slice: EndpointSlice, name: string): EndpointSlice => ({
  ...slice,
  metadata: { ...slice.metadata, name: `${slice.metadata?.name}-${name}` },
})

const world = fc.record({ nodes, pods, service })
const edits = fc.array(fc.tuple(fc.nat(DAMAGES.length - 1), fc.nat(3)), { maxLength: 2 })

/** Judges by what a function would plan, of the objects that it would read. */
function stateOfPlan({ nodes, pods, service, slices }: World): SliceState {
  const selected = pods.filter(({ metadata }) => metadata?.labels?.app === 'web')
  const { create, update, delete: remove } = plan({ nodes, pods: selected, service, slices }, OPTIONS)
  return create.length + update.length + remove.length === 0 ? 'right' : 'wrong'
}

interface World {
  readonly nodes: Node[]
  readonly pods: Pod[]
  readonly service: Service
  readonly slices: EndpointSlice[]
}

function indexOf({ nodes, pods, service, slices }: World, before: World[]): ClusterIndex {
  const index = createClusterIndex('a', 'replace')
  for (const old of before) {
    for (const each of old.nodes) index.nodes.put(each)
    for (const each of old.pods) index.pods.put(each)
    index.services.put(old.service)
    for (const each of old.slices) index.slices.put(each)
  }
  for (const each of ['slices', 'pods', 'services', 'nodes'] as const) index[each].listing()
  for (const each of slices) index.slices.put(each)
  for (const each of pods) index.pods.put(each)
  index.services.put(service)
  for (const each of nodes) index.nodes.put(each)
  for (const each of ['slices', 'pods', 'services', 'nodes'] as const) index[each].listed('1')
  return index
}

it('judge slices right exactly when a plan of the same objects would write nothing', () => {
  const counts = { right: 0, wrong: 0, unknown: 0 }
  fc.assert(
    fc.property(world, world, fc.boolean(), edits, (now, old, isOutdated, damages) => {
      const written = isOutdated ? { ...now, pods: old.pods } : now
      const selected = written.pods.filter(({ metadata }) => metadata?.labels?.app === 'web')
      const first = plan({ ...written, pods: selected, slices: [] }, OPTIONS)
      let slices = applied([], first)
      for (const [damage, pick] of damages) slices = DAMAGES[damage]?.(slices, pick) ?? slices
      const index = indexOf({ ...now, slices }, [{ ...old, slices: [] }])
      const [compared, ...others] = index.compareAll({ managedBy: MANAGED_BY, leftovers: 'auto' })
      expect(others).toEqual([])
      expect(compared).toMatchObject({ cluster: 'a', namespace: 'shop', service: 'web' })
      const expected = stateOfPlan({ ...now, slices })
      expect(compared?.state).toBe(expected)
      counts[expected]++
    }),
    { numRuns: 1000 },
  )
  // Both are met often, so that the property says something.
  expect(Math.min(counts.right, counts.wrong)).toBeGreaterThan(150)
})
