import * as fc from 'fast-check'
import type { Endpoint, EndpointPort, EndpointSlice, ObjectMeta } from '../../../index.ts'

/** Turns one slice into none, one or more. */
type SliceMutation = (slice: EndpointSlice) => EndpointSlice[]
type EndpointMutation = (endpoint: Endpoint) => Endpoint

const withMetadata =
  (change: (metadata: ObjectMeta) => Partial<ObjectMeta>): SliceMutation =>
  (slice) => [{ ...slice, metadata: { ...slice.metadata, ...change(slice.metadata ?? {}) } }]

const withLabel =
  (key: string, value: string): SliceMutation =>
  (slice) =>
    withMetadata(({ labels }) => ({ labels: { ...labels, [key]: value } }))(slice)

const withEndpoints =
  (change: (endpoints: Endpoint[]) => Endpoint[] | undefined): SliceMutation =>
  ({ endpoints, ...slice }) => [{ ...slice, endpoints: change(endpoints ?? []) ?? [] }]

const withPorts =
  (change: (ports: EndpointPort[]) => EndpointPort[]): SliceMutation =>
  (slice) => [{ ...slice, ports: change(slice.ports ?? []) }]

/** Makes another slice of the same kind, with this suffix in its name. */
const beside = (slice: EndpointSlice, suffix: string, changed: Partial<EndpointSlice>): EndpointSlice => {
  const name = `${slice.metadata?.name}${suffix}`
  return { ...slice, metadata: { ...slice.metadata, name, uid: `uid-${name}` }, ...changed }
}

const withoutServiceLabels = ({ labels = {} }: ObjectMeta): Partial<ObjectMeta> => ({
  labels: Object.fromEntries(Object.entries(labels).filter(([key]) => key.includes('/'))),
})

const OWNER_OF_OLD = { apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'uid-old', controller: true }

const SLICE_MUTATIONS: Readonly<Record<string, SliceMutation>> = {
  'owned by an older Service': withMetadata(() => ({ ownerReferences: [OWNER_OF_OLD] })),
  'owned by nobody': withMetadata(() => ({ ownerReferences: [] })),
  'owned by another as well': withMetadata(({ ownerReferences = [] }) => ({
    ownerReferences: [OWNER_OF_OLD, ...ownerReferences],
  })),
  'owned as another kind': withMetadata(({ ownerReferences = [] }) => ({
    ownerReferences: ownerReferences.map((owner) => ({ ...owner, kind: 'Deployment' })),
  })),
  'a label more': withLabel('extra', 'x'),
  'another label': withLabel('app', 'changed'),
  'labels of the Service lost': withMetadata(withoutServiceLabels),
  'another reserved label': withLabel('service.kubernetes.io/headless', 'yes'),
  'annotations of others': withMetadata(() => ({
    annotations: {
      'example.org/note': 'keep',
      'endpoints.kubernetes.io/last-change-trigger-time': '2020-01-01T00:00:00Z',
    },
  })),
  'a finalizer': withMetadata(() => ({ finalizers: ['example.org/hold'] })),
  'the other family': (slice) => [
    beside(slice, '-other', { addressType: slice.addressType === 'IPv4' ? 'IPv6' : 'IPv4' }),
    slice,
  ],
  'domain names': (slice) => [slice, beside(slice, '-fqdn', { addressType: 'FQDN', endpoints: [] })],
  'a duplicate': (slice) => [slice, beside(slice, '-twin', {})],
  'a duplicate before it': (slice) => [beside(slice, '-0', {}), slice],
  'split in two': (slice) => {
    const endpoints = slice.endpoints ?? []
    const half = Math.ceil(endpoints.length / 2)
    return [
      { ...slice, endpoints: endpoints.slice(0, half) },
      beside(slice, '-half', { endpoints: endpoints.slice(half) }),
    ]
  },
  'no endpoints': withEndpoints(() => []),
  'null endpoints': ({ endpoints: _, ...slice }) => [{ ...slice, endpoints: null as never }],
  'endpoints reversed': withEndpoints((endpoints) => endpoints.toReversed()),
  'an endpoint less': withEndpoints((endpoints) => endpoints.slice(1)),
  'an endpoint twice': withEndpoints((endpoints) => [...endpoints.slice(0, 1), ...endpoints]),
  'an endpoint of nobody': withEndpoints((endpoints) => [
    { addresses: ['10.9.9.9'], conditions: {} },
    ...endpoints,
  ]),
  'other ports': withPorts((ports) => ports.map((port) => ({ ...port, port: (port.port ?? 0) + 1 }))),
  'ports reversed': withPorts((ports) => ports.toReversed()),
  'no ports': withPorts(() => []),
  'null ports': ({ ports: _, ...slice }) => [{ ...slice, ports: null as never }],
  'a placeholder beside': (slice) => [beside(slice, '-none', { endpoints: [], ports: [] }), slice],
  'a placeholder instead': (slice) => [{ ...slice, endpoints: [], ports: [] }],
  gone: () => [],
}

const ENDPOINT_MUTATIONS: Readonly<Record<string, EndpointMutation>> = {
  'hinted to a zone': (endpoint) => ({ ...endpoint, hints: { forZones: [{ name: 'a' }] } }),
  'hinted to a zone that is gone': (endpoint) => ({ ...endpoint, hints: { forZones: [{ name: 'gone' }] } }),
  'hinted to two zones': (endpoint) => ({ ...endpoint, hints: { forZones: [{ name: 'a' }, { name: 'b' }] } }),
  'hinted to a node': (endpoint) => ({
    ...endpoint,
    hints: { ...endpoint.hints, forNodes: [{ name: 'n1' }] },
  }),
  'hinted to nothing': (endpoint) => ({ ...endpoint, hints: {} }),
  'hints lost': ({ hints: _, ...endpoint }) => endpoint,
  'zone lost': ({ zone: _, ...endpoint }) => endpoint,
  'another zone': (endpoint) => ({ ...endpoint, zone: 'b' }),
  'another node': (endpoint) => ({ ...endpoint, nodeName: 'n1' }),
  'another hostname': (endpoint) => ({ ...endpoint, hostname: 'h2' }),
  'an empty hostname': (endpoint) => ({ ...endpoint, hostname: endpoint.hostname ?? '' }),
  'conditions lost': (endpoint) => ({ ...endpoint, conditions: {} }),
  'only ready known': ({ conditions, ...endpoint }) => ({
    ...endpoint,
    conditions: { ready: conditions?.ready ?? true },
  }),
  'ready the other way': ({ conditions, ...endpoint }) => ({
    ...endpoint,
    conditions: { ...conditions, ready: !conditions?.ready },
  }),
  'another uid': (endpoint) => ({ ...endpoint, targetRef: { ...endpoint.targetRef, uid: 'uid-older' } }),
  'a resourceVersion': (endpoint) => ({
    ...endpoint,
    targetRef: { ...endpoint.targetRef, resourceVersion: '5' },
  }),
  'an apiVersion': (endpoint) => ({ ...endpoint, targetRef: { ...endpoint.targetRef, apiVersion: 'v1' } }),
  'a targetRef elsewhere': (endpoint) => ({
    ...endpoint,
    targetRef: { ...endpoint.targetRef, namespace: 'elsewhere' },
  }),
  'targetRef lost': ({ targetRef: _, ...endpoint }) => endpoint,
  'addresses reversed': (endpoint) => ({ ...endpoint, addresses: endpoint.addresses.toReversed() }),
  'an address more': (endpoint) => ({ ...endpoint, addresses: ['10.0.0.99', ...endpoint.addresses] }),
  'another address': (endpoint) => ({ ...endpoint, addresses: ['10.0.0.99'] }),
  'a topology of old': (endpoint) => ({
    ...endpoint,
    deprecatedTopology: { 'kubernetes.io/hostname': 'n1' },
  }),
}

/** A change that somebody made to the slices: to one of them, or to one endpoint or every endpoint of one. */
export interface Mutation {
  readonly kind: string
  /** Number of the slice, counted around. */
  readonly slice: number
  /**
   * Number of the endpoint, counted around; undefined for all. It does not matter to a change of the slice
   * itself.
   */
  readonly endpoint: number | undefined
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(...Object.keys(SLICE_MUTATIONS), ...Object.keys(ENDPOINT_MUTATIONS)),
  slice: fc.nat(7),
  endpoint: fc.option(fc.nat(7), { nil: undefined, freq: 4 }),
})

/** Often none. */
export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: fc.array(mutation, { maxLength: 4 }) },
)

/** Returns the slices after the changes; their names stay different. */
export function mutated(
  slices: readonly EndpointSlice[],
  mutations: readonly Mutation[],
): readonly EndpointSlice[] {
  let result = slices
  for (const { kind, slice, endpoint } of mutations) {
    if (result.length === 0) return result
    const mutate = SLICE_MUTATIONS[kind] ?? withEndpoints((all) => mutatedEndpoints(all, kind, endpoint))
    const at = slice % result.length
    result = result.flatMap((item, index) => (index === at ? mutate(item) : [item]))
    result = [...new Map(result.map((item) => [item.metadata?.name, item])).values()]
  }
  return result
}

function mutatedEndpoints(
  endpoints: readonly Endpoint[],
  kind: string,
  chosen: number | undefined,
): Endpoint[] {
  const mutate = ENDPOINT_MUTATIONS[kind] ?? ((endpoint: Endpoint) => endpoint)
  const at = chosen === undefined ? undefined : chosen % Math.max(1, endpoints.length)
  return endpoints.map((endpoint, index) => (at === undefined || at === index ? mutate(endpoint) : endpoint))
}
