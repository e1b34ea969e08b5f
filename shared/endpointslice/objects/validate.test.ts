import { describe, expect, it } from 'vitest'
import { aNode, aPod, aService } from '../plan.fixtures.ts'
import type { EndpointSlice, Node, Pod, Service } from '../types.ts'
import { copyJson } from './copy.ts'
import { objectFault, readable, type SkippedObject } from './validate.ts'

const PORT = { name: 'http', protocol: 'TCP', appProtocol: 'http', containerPort: 8080, port: 80 }
const CONTAINER = { name: 'c', ports: [PORT] }

/** Has every field that a plan reads. */
const GOOD: { readonly Service: Service; Pod: Pod; Node: Node; EndpointSlice: EndpointSlice } = {
  Service: {
    metadata: { ...aService().metadata, labels: { a: 'b' }, annotations: { a: 'b' } },
    spec: { clusterIP: '10.1.0.1', ipFamilies: ['IPv4'], ports: [PORT] },
  },
  Pod: {
    metadata: aPod('p').metadata ?? {},
    spec: {
      nodeName: 'node-a',
      hostname: 'h',
      subdomain: 'web',
      containers: [CONTAINER],
      initContainers: [CONTAINER],
    },
    status: {
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  },
  Node: {
    metadata: { ...aNode('node-a', 'zone-a').metadata, annotations: { a: 'b' } },
    status: { conditions: [{ type: 'Ready', status: 'True' }], allocatable: { cpu: '4' } },
  },
  EndpointSlice: {
    metadata: {
      namespace: 'shop',
      name: 'web-1',
      uid: 'uid-1',
      labels: { a: 'b' },
      annotations: { a: 'b' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: 'uid-web' }],
    },
    addressType: 'IPv4',
    ports: [PORT],
    endpoints: [
      {
        addresses: ['10.0.0.1'],
        conditions: { ready: true },
        targetRef: { kind: 'Pod', namespace: 'shop', name: 'p', uid: 'uid-p' },
        hints: { forZones: [{ name: 'zone-a' }], forNodes: [{ name: 'node-a' }] },
      },
    ],
  },
}
type Kind = keyof typeof GOOD

/** Returns the valid object of a kind with another value in a place such as `spec.ports[0].name`. */
function withValue<K extends Kind>(kind: K, path: string, value: unknown): (typeof GOOD)[K] {
  const object = copyJson(GOOD[kind])
  const keys = path.match(/\w+/g) ?? []
  const last = keys.pop() ?? ''
  const place = keys.reduce((inner: object, key) => (inner as Record<string, object>)[key] ?? {}, object)
  Object.assign(place, { [last]: value })
  return object
}

const MAPS = (...paths: readonly string[]) =>
  paths.flatMap((path): Row[] => [
    [path, 'text', ': expected a map of strings, got string'],
    [path, ['text'], ': expected a map of strings, got a list'],
    [path, { a: 'b', 'c/d': 1 }, '["c/d"]: expected a string, got number'],
    [path, { c: {} }, '["c"]: expected a string, got an object'],
  ])
const TEXTS = (...paths: readonly string[]) =>
  paths.map((path): Row => [path, 7, ': expected a string, got number'])
const LISTS = (...paths: readonly string[]) =>
  paths.map((path): Row => [path, {}, ': expected a list, got an object'])
const OBJECTS = (...paths: readonly string[]) =>
  paths.flatMap((path): Row[] => [
    [path, 'text', ': expected an object, got string'],
    [path, ['text'], ': expected an object, got a list'],
  ])
const TIMES = (...paths: readonly string[]) =>
  paths.flatMap((path): Row[] => [
    [path, 1_700_000_000, ': expected an RFC 3339 string or a Date, got number'],
    [path, new Date(Number.NaN), ': expected an RFC 3339 string or a Date, got an invalid Date'],
  ])
const MISSING = ' is missing'

/** A place, what stands there, and what is said of it. */
type Row = readonly [path: string, value: unknown, words: string]

const NAMED: readonly Row[] = [
  ...OBJECTS('metadata'),
  ['metadata', undefined, ': expected an object, got undefined'],
  ['metadata.name', '', MISSING],
  ...TEXTS('metadata.name', 'metadata.namespace', 'metadata.uid'),
  ...TIMES('metadata.creationTimestamp', 'metadata.deletionTimestamp'),
]
const LABELED: readonly Row[] = [...NAMED, ...MAPS('metadata.labels', 'metadata.annotations')]
const portRows = (path: string): readonly Row[] => [
  ...LISTS(path),
  ...OBJECTS(`${path}[0]`),
  ...TEXTS(`${path}[0].name`, `${path}[0].protocol`),
]
const containerRows = (path: string): readonly Row[] => [
  ...LISTS(path),
  ...OBJECTS(`${path}[0]`),
  ...portRows(`${path}[0].ports`),
  [`${path}[0].ports[0].containerPort`, '80', ': expected a number, got string'],
]

const FAULTS: Readonly<Record<Kind, readonly Row[]>> = {
  Service: [
    ...LABELED,
    ['metadata.namespace', '', MISSING],
    ['metadata.uid', '', MISSING],
    ['spec', undefined, MISSING],
    ...OBJECTS('spec'),
    ...portRows('spec.ports'),
    ...TEXTS('spec.ports[0].appProtocol', 'spec.ipFamilies[0]', 'spec.clusterIP'),
    ...LISTS('spec.ipFamilies'),
  ],
  Pod: [
    ...NAMED,
    ...OBJECTS('status', 'status.conditions[0]', 'spec'),
    ...TEXTS('status.podIP', 'spec.nodeName', 'spec.hostname', 'spec.subdomain'),
    ...LISTS('status.podIPs', 'status.conditions'),
    ['status.podIPs[0]', '10.0.0.1', ': expected an object with an ip, got string'],
    ['status.podIPs[0]', { ip: 7 }, ': expected an object with an ip, got an object'],
    ['status.podIPs[0]', null, ': expected an object with an ip, got null'],
    ...containerRows('spec.containers'),
    ...containerRows('spec.initContainers'),
  ],
  Node: [
    ...LABELED,
    ...OBJECTS('status', 'status.conditions[0]', 'status.allocatable'),
    ...LISTS('status.conditions'),
    ['status.allocatable.cpu', {}, ': expected a quantity, got an object'],
  ],
  EndpointSlice: [
    ...LABELED,
    ['addressType', undefined, MISSING],
    ...TEXTS('addressType'),
    ...LISTS('metadata.ownerReferences', 'ports', 'endpoints', 'endpoints[0].addresses'),
    ...LISTS('endpoints[0].hints.forZones', 'endpoints[0].hints.forNodes'),
    ...OBJECTS('metadata.ownerReferences[0]', 'ports[0]', 'endpoints[0]', 'endpoints[0].conditions'),
    ...OBJECTS('endpoints[0].targetRef', 'endpoints[0].hints', 'endpoints[0].hints.forZones[0]'),
    ...TEXTS('endpoints[0].addresses[0]', 'endpoints[0].targetRef.kind', 'endpoints[0].targetRef.namespace'),
    ...TEXTS('endpoints[0].targetRef.name', 'endpoints[0].targetRef.uid'),
  ],
}

describe('an object of the API', () => {
  const rows = Object.entries(FAULTS).flatMap(([kind, faults]) =>
    faults.map(([path, value, words]) => [kind as Kind, path, value, words] as const),
  )

  it.each(rows)('%s with %s as %j: it %s', (kind, path, value, words) => {
    expect(objectFault(kind, withValue(kind, path, value))).toBe(`${path}${words}`)
  })

  it.each(Object.keys(GOOD) as Kind[])('has no fault as it should be: %s', (kind) => {
    expect(objectFault(kind, GOOD[kind])).toBeUndefined()
  })

  const optional = rows.filter(([, path, , words]) => words !== MISSING && !/(\]|^metadata)$/.test(path))
  const needed = /^Service (metadata\.(namespace|uid)|spec)$| metadata\.name$|addressType$/
  it.each(
    [...new Set(optional.map(([kind, path]) => `${kind} ${path}`))].filter((place) => !needed.test(place)),
  )('may lack a field: %s', (place) => {
    const [kind, path = ''] = place.split(' ') as [Kind, string]
    for (const absent of [null, undefined])
      expect(objectFault(kind, withValue(kind, path, absent))).toBeUndefined()
  })

  it('has its CPU as a text or as a number', () => {
    expect(objectFault('Node', withValue('Node', 'status.allocatable.cpu', 4))).toBeUndefined()
  })

  it('has its times as texts or as Dates', () => {
    for (const time of ['2026-03-01T12:00:00Z', new Date()])
      for (const path of ['metadata.creationTimestamp', 'status.conditions[0].lastTransitionTime'])
        expect(objectFault('Pod', withValue('Pod', path, time))).toBeUndefined()
  })

  it('that is a list of others in place of its items is refused by the name of its class', () => {
    class PodList {
      readonly items = [GOOD.Pod]
    }
    expect(() => readable('Pod', new PodList() as never, [])).toThrow(
      'invalid option pods: expected a list of Pod objects, got PodList',
    )
  })

  it('that has a fault is reported by its name, as far as it has one', () => {
    const skipped: SkippedObject[] = []
    const broken = [
      withValue('Pod', 'spec.nodeName', 7),
      withValue('Pod', 'metadata.name', ''),
      withValue('Pod', 'metadata', null),
      undefined as unknown as Pod,
    ]
    expect(readable('Pod', [...broken, GOOD.Pod], skipped)).toEqual([GOOD.Pod])
    const said = { kind: 'Pod', reason: 'Malformed' }
    expect(skipped).toEqual([
      { ...said, namespace: 'shop', name: 'p', message: 'spec.nodeName: expected a string, got number' },
      { ...said, namespace: 'shop', name: '(unnamed)', message: 'metadata.name is missing' },
      { ...said, namespace: '', name: '(unnamed)', message: 'metadata: expected an object, got null' },
      { ...said, namespace: '', name: '(unnamed)', message: 'it is not an object' },
    ])
  })
})
