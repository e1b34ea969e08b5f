import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidOptionError } from '../errors.ts'
import { planMirror } from '../index.ts'
import { applied, deepFreeze } from '../plan.fixtures.ts'
import type { EndpointSlice, Endpoints, Service } from '../types.ts'
import { handWritten } from './mirroring.arbitraries.ts'
import type { MirrorOptions, MirrorPlan } from './plan-mirror.ts'

const SERVICE: Service = { metadata: { name: 'db', namespace: 'shop', uid: 'uid-service' }, spec: {} }

const endpointsOf = (subsets: Endpoints['subsets'], metadata: Endpoints['metadata'] = {}): Endpoints => ({
  metadata: { name: 'db', namespace: 'shop', uid: 'uid-endpoints', ...metadata },
  subsets,
})
const HTTP = [{ name: 'http', port: 80, protocol: 'TCP' }]

const mirror = (
  endpoints: Endpoints | undefined,
  slices: readonly EndpointSlice[] = [],
  { service = SERVICE, ...options }: MirrorOptions & { readonly service?: Service | undefined } = {},
): MirrorPlan => planMirror(deepFreeze({ endpoints, service, slices: [...slices] }), options)

const keyOf = ({ addressType, ports }: EndpointSlice): string => `${addressType} ${JSON.stringify(ports)}`

const slicesOf = (endpoints: Endpoints, before: readonly EndpointSlice[] = []): EndpointSlice[] =>
  applied(before, mirror(endpoints, before)).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

const published = (slices: readonly EndpointSlice[]): unknown[] =>
  slices.map(({ addressType, ports, endpoints }) => [
    addressType,
    ports?.map(({ name, port }) => `${name} ${port}`).join(),
    endpoints?.map(({ addresses, conditions }) => `${addresses[0]} ${conditions?.ready}`).join(),
  ])

describe('Endpoints that are mirrored', () => {
  it('give a slice for each family, with their labels, annotations and themselves as owner', () => {
    const endpoints = endpointsOf([{ addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], ports: HTTP }], {
      labels: { app: 'db' },
      annotations: {
        'endpoints.kubernetes.io/over-capacity': 'truncated',
        'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-01T00:00:00Z',
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
      },
    })
    const slices = slicesOf(endpoints)
    expect(published(slices)).toEqual([
      ['IPv4', 'http 80', '10.0.0.1 true'],
      ['IPv6', 'http 80', 'fd00::1 true'],
    ])
    expect(slices[0]?.metadata).toMatchObject({
      name: expect.stringMatching(/^db-[a-z0-9]{8}$/),
      labels: {
        app: 'db',
        'kubernetes.io/service-name': 'db',
        'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
      },
      annotations: { 'endpoints.kubernetes.io/over-capacity': 'truncated' },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Endpoints', name: 'db', uid: 'uid-endpoints', controller: true },
      ],
    })
    expect(Object.keys(slices[0]?.metadata?.annotations ?? {})).toHaveLength(1)
  })

  it('give one slice where ports stand in several subsets with the same addresses', () => {
    const addresses = [{ ip: '10.0.0.1' }]
    const other = [{ name: 'admin', port: 8080, protocol: 'TCP' }]
    const slices = slicesOf(
      endpointsOf([
        { addresses, ports: HTTP },
        { addresses, ports: other },
      ]),
    )
    expect(published(slices)).toEqual([['IPv4', 'admin 8080,http 80', '10.0.0.1 true']])
  })

  it('are not ready where one subset says so', () => {
    const address = [{ ip: '10.0.0.1' }]
    const subsets = [
      { addresses: address, ports: HTTP },
      { notReadyAddresses: address, ports: HTTP },
    ]
    for (const order of [subsets, subsets.toReversed()])
      expect(published(slicesOf(endpointsOf(order)))).toEqual([['IPv4', 'http 80', '10.0.0.1 false']])
  })

  it('give up to 1000 addresses of a subset, the ready ones first, and say how many are left out', () => {
    const many = Array.from({ length: 1001 }, (_, at) => ({ ip: `10.0.${at >> 8}.${at % 256}` }))
    const subsets = [{ addresses: many, notReadyAddresses: [{ ip: '10.9.0.1' }], ports: HTTP }]
    const { create, events } = mirror(endpointsOf(subsets))
    expect(create.map(({ endpoints }) => endpoints?.length)).toEqual([1000])
    expect(create[0]?.endpoints?.every(({ conditions }) => conditions?.ready)).toBe(true)
    expect(events).toEqual([
      { type: 'Warning', reason: 'TooManyAddressesToMirror', message: expect.stringMatching(/^2 addresses/) },
    ])
    expect(mirror(endpointsOf(subsets), [], { maxEndpointsPerSubset: 3 }).create[0]?.endpoints).toHaveLength(
      3,
    )
  })

  it('say of addresses that are none how many they are, and give the others', () => {
    const subsets = [{ addresses: [{ ip: 'example.org' }, { ip: '010.0.0.1' }], ports: HTTP }]
    const { create, events } = mirror(endpointsOf(subsets))
    expect(published(create)).toEqual([['IPv4', 'http 80', '10.0.0.1 true']])
    expect(events).toMatchObject([{ reason: 'InvalidIPAddress' }])
  })

  it('change the slice that is there, and take the place of one that would go', () => {
    const first = slicesOf(endpointsOf([{ addresses: [{ ip: '10.0.0.1' }], ports: HTTP }]))
    const grown = endpointsOf([{ addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], ports: HTTP }])
    expect(mirror(grown, first)).toMatchObject({ create: [], update: [{}], delete: [] })
    const moved = endpointsOf([{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 81, protocol: 'TCP' }] }])
    const { create, update, delete: remove } = mirror(moved, first)
    expect([create, remove]).toEqual([[], []])
    expect(update[0]?.metadata?.name).toBe(first[0]?.metadata?.name)
  })

  it('of another uid take over the slices of those before', () => {
    const subsets = [{ addresses: [{ ip: '10.0.0.1' }], ports: HTTP }]
    const first = slicesOf(endpointsOf(subsets))
    const { update } = mirror(endpointsOf(subsets, { uid: 'uid-later' }), first)
    expect(update[0]?.metadata?.ownerReferences).toMatchObject([{ uid: 'uid-later' }])
  })

  it('leave annotations that the caller writes onto slices as they are, and never put any there', () => {
    const isOwnAnnotation = (name: string): boolean => name.startsWith('own.dev/')
    const annotations = { note: 'copied', 'own.dev/seal': 'forged' }
    const endpoints = endpointsOf([{ addresses: [{ ip: '10.0.0.1' }], ports: HTTP }], { annotations })
    const [made] = mirror(endpoints, [], { isOwnAnnotation }).create
    expect(made?.metadata?.annotations).toEqual({ note: 'copied' })
    const sealed = [slicesOf(endpointsOf(endpoints.subsets, { annotations: { note: 'copied' } }))].flat()
    for (const slice of sealed) Object.assign(slice.metadata?.annotations ?? {}, { 'own.dev/seal': 'made' })
    expect(mirror(endpoints, sealed, { isOwnAnnotation })).toMatchObject({
      create: [],
      update: [],
      delete: [],
    })
    const changed = endpointsOf(endpoints.subsets, { annotations: { note: 'new' } })
    expect(mirror(changed, sealed, { isOwnAnnotation }).update[0]?.metadata?.annotations).toEqual({
      note: 'new',
      'own.dev/seal': 'made',
    })
    expect(mirror(endpoints, sealed).update).toHaveLength(1)
  })

  it('that are being deleted get no new slice', () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    const subsets = [{ addresses: [{ ip: '10.0.0.1' }], ports: HTTP }]
    expect(mirror(endpointsOf(subsets, { deletionTimestamp })).create).toEqual([])
  })
})

const LEADER = { 'control-plane.alpha.kubernetes.io/leader': '{}' }

it.each<[string, Endpoints | undefined, Service | undefined]>([
  ['are gone', undefined, SERVICE],
  [
    'say so by a label',
    endpointsOf([], { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } }),
    SERVICE,
  ],
  ['stand for a lock', endpointsOf([], { annotations: LEADER }), SERVICE],
  ['have a Service with a selector', endpointsOf([]), { ...SERVICE, spec: { selector: { app: 'db' } } }],
])('slices go when the Endpoints %s', (_, endpoints, service) => {
  const before = slicesOf(endpointsOf([{ addresses: [{ ip: '10.0.0.1' }], ports: HTTP }]))
  expect(planMirror({ endpoints, service, slices: before })).toMatchObject({
    create: [],
    update: [],
    delete: before,
  })
})

it('slices go when there is no Service', () => {
  const before = slicesOf(endpointsOf([{ addresses: [{ ip: '10.0.0.1' }], ports: HTTP }]))
  expect(planMirror({ endpoints: endpointsOf([]), service: undefined, slices: before }).delete).toEqual(
    before,
  )
})

it.each([0, 1001, 1.5])('a limit of %d is refused', (maxEndpointsPerSubset) => {
  expect(() => mirror(endpointsOf([]), [], { maxEndpointsPerSubset })).toThrow(InvalidOptionError)
})

it('mirrors whatever people write in any order of its subsets, and then writes nothing', () => {
  fc.assert(
    fc.property(fc.array(handWritten, { minLength: 1, maxLength: 3 }), (history) => {
      let slices: EndpointSlice[] = []
      for (const { metadata, subsets } of history) {
        const endpoints = endpointsOf(subsets, metadata)
        const reversed = endpointsOf(subsets?.toReversed(), metadata)
        const names = (plan: MirrorPlan): unknown[] => plan.create.map((slice) => slice.metadata?.name)
        expect(names(mirror(endpoints, slices))).toEqual(names(mirror(reversed, slices)))
        slices = slicesOf(endpoints, slices)
        expect(mirror(endpoints, slices)).toMatchObject({ create: [], update: [], delete: [] })
        const [there, wanted] = [addressesIn(slices), addressesOf(endpoints)]
        expect(wanted).toEqual(expect.arrayContaining(there))
        // Addresses that have ports in one subset and none in another may be mirrored with ports only.
        expect(there.filter(hasPort)).toEqual(wanted.filter(hasPort))
        expect(there.map(ipOf).sort()).toEqual(expect.arrayContaining(wanted.map(ipOf)))
      }
    }),
    { numRuns: 300 },
  )
})

const addressesOf = ({ subsets }: Endpoints): string[] =>
  sorted(
    (subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports }) =>
      [...addresses, ...notReadyAddresses].flatMap(({ ip }) =>
        ports?.length ? ports.map(({ name, port }) => `${ip} ${name} ${port}`) : [`${ip} none`],
      ),
    ),
  )
const addressesIn = (slices: readonly EndpointSlice[]): string[] =>
  sorted(
    slices.flatMap(({ endpoints, ports }) =>
      (endpoints ?? []).flatMap(({ addresses: [ip] }) =>
        ports?.length ? ports.map(({ name, port }) => `${ip} ${name} ${port}`) : [`${ip} none`],
      ),
    ),
  )
const hasPort = (text: string): boolean => !text.endsWith(' none')
const ipOf = (text: string): string => text.split(' ')[0] ?? ''
const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort()
