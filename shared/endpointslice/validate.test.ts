import { describe, expect, it } from 'vitest'
import { copyJson } from './copy.ts'
import { aNode, aPod, aService } from './plan.fixtures.ts'
import type { EndpointSlice, Node, Pod, Service } from './types.ts'
import { objectFault, readable, type SkippedObject } from './validate.ts'

const PORT = { name: 'http', protocol: 'TCP', appProtocol: 'http', containerPort: 8080, port: 80 }
const CONTAINER = { name: 'c', ports: [PORT] }

/** Has every field that a plan looks at. */
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
  ['text', ['text'], { a: 'b', c: 1 }, { c: 1 }].flatMap((value) =>
    paths.map((path): Row => [path, value, 'is not a map of strings']),
  )
const TEXTS = (...paths: readonly string[]) => paths.map((path): Row => [path, 7, 'is not a string'])
const LISTS = (...paths: readonly string[]) => paths.map((path): Row => [path, {}, 'is not a list'])
const OBJECTS = (...paths: readonly string[]) =>
  ['text', ['text']].flatMap((value) => paths.map((path): Row => [path, value, 'is not an object']))

/** A place, what stands there, and what is said of it. */
type Row = readonly [path: string, value: unknown, words: string]

const NAMED: readonly Row[] = [
  ...OBJECTS('metadata'),
  ['metadata', undefined, 'is not an object'],
  ['metadata.name', '', 'is missing'],
  ['metadata.name', 7, 'is missing'],
  ...TEXTS('metadata.namespace', 'metadata.uid'),
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
  [`${path}[0].ports[0].containerPort`, '80', 'is not a number'],
]

const FAULTS: Readonly<Record<Kind, readonly Row[]>> = {
  Service: [
    ...LABELED,
    ['metadata.namespace', '', 'is missing'],
    ['metadata.uid', '', 'is missing'],
    ['spec', undefined, 'is missing'],
    ['spec', 'text', 'is missing'],
    ...portRows('spec.ports'),
    ...TEXTS('spec.ports[0].appProtocol', 'spec.ipFamilies[0]', 'spec.clusterIP'),
    ...LISTS('spec.ipFamilies'),
  ],
  Pod: [
    ...NAMED,
    ...OBJECTS('status', 'status.conditions[0]', 'spec'),
    ...TEXTS('status.podIP', 'spec.nodeName', 'spec.hostname', 'spec.subdomain'),
    ...LISTS('status.podIPs', 'status.conditions'),
    ['status.podIPs[0]', '10.0.0.1', 'is not an object with an ip'],
    ['status.podIPs[0]', { ip: 7 }, 'is not an object with an ip'],
    ['status.podIPs[0]', null, 'is not an object with an ip'],
    ...containerRows('spec.containers'),
    ...containerRows('spec.initContainers'),
  ],
  Node: [
    ...LABELED,
    ...OBJECTS('status', 'status.conditions[0]', 'status.allocatable'),
    ...LISTS('status.conditions'),
    ['status.allocatable.cpu', {}, 'is not a quantity'],
  ],
  EndpointSlice: [
    ...LABELED,
    ['addressType', undefined, 'is missing'],
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
    expect(objectFault(kind, withValue(kind, path, value))).toBe(`${path} ${words}`)
  })

  it.each(Object.keys(GOOD) as Kind[])('has no fault as it should be: %s', (kind) => {
    expect(objectFault(kind, GOOD[kind])).toBeUndefined()
  })

  const optional = rows.filter(([, path, , words]) => words !== 'is missing' && !/(\]|^metadata)$/.test(path))
  const needed = ['Service metadata.namespace', 'Service metadata.uid']
  it.each(
    [...new Set(optional.map(([kind, path]) => `${kind} ${path}`))].filter(
      (place) => !needed.includes(place),
    ),
  )('may lack a field: %s', (place) => {
    const [kind, path = ''] = place.split(' ') as [Kind, string]
    for (const absent of [null, undefined])
      expect(objectFault(kind, withValue(kind, path, absent))).toBeUndefined()
  })

  it('has its CPU as a text or as a number', () => {
    expect(objectFault('Node', withValue('Node', 'status.allocatable.cpu', 4))).toBeUndefined()
  })

  it('that has a fault is told of by its name, as far as it has one', () => {
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
      { ...said, namespace: 'shop', name: 'p', message: 'spec.nodeName is not a string' },
      { ...said, namespace: 'shop', name: '(unnamed)', message: 'metadata.name is missing' },
      { ...said, namespace: '', name: '(unnamed)', message: 'metadata is not an object' },
      { ...said, namespace: '', name: '(unnamed)', message: 'it is not an object' },
    ])
  })
})
