import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { EndpointSlice, Node, Pod, Service } from '../../../shared/endpointslice/index.ts'
import { mutated } from '../../../shared/endpointslice/malformed.fixtures.ts'
import type { ApiClient, ApiObject, ObjectRef, Resource } from '../../../shared/kubernetes/index.ts'
import { NotFoundError } from '../../../shared/kubernetes/index.ts'
import { createNodeReader } from '../../../shared/reconciler/index.ts'
import { podOf, slicesOf, worldOf } from '../../../shared/reconciler/shadow/world.fixtures.ts'
import { parseSettings } from '../../../shared/settings/index.ts'
import { describeSubject } from './describe-subject.ts'
import { explainSubject } from './explain-subject.ts'
import type { Subject, SubjectReport } from './report.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const SUBJECTS: readonly Subject[] = [
  { kind: 'Pod', name: 'web-1' },
  { kind: 'Node', name: 'node-1' },
  { kind: 'Address', name: '10.0.0.1' },
]

interface Objects {
  readonly Pod: readonly Pod[]
  readonly Node: readonly Node[]
  readonly Service: readonly Service[]
  readonly EndpointSlice: readonly EndpointSlice[]
}

/** Makes a client of a server that always returns these objects and ignores selectors. */
function clientOf(objects: Objects): ApiClient {
  const all = ({ kind }: Resource) => [...objects[kind as keyof Objects]] as never[]
  const client: Partial<ApiClient> = {
    cluster: 'a',
    async *pages(resource: Resource) {
      yield { items: all(resource), metadata: { resourceVersion: '1' } }
    },
    list: async (resource: Resource) => ({ items: all(resource), metadata: { resourceVersion: '1' } }),
    async get<T extends ApiObject>(resource: Resource<T>, { name }: ObjectRef) {
      const found = (all(resource) as ApiObject[]).find((object) => object?.metadata?.name === name)
      if (found !== undefined) return found as T
      throw new NotFoundError('no such object', 404, { reason: 'NotFound' })
    },
  }
  return client as ApiClient
}

const world = worldOf(['web-1'])
const SOUND = {
  Pod: [
    {
      ...podOf('web-1', '10.0.0.1'),
      metadata: {
        ...podOf('web-1', '10.0.0.1').metadata,
        deletionTimestamp: '2026-03-01T12:00:00Z',
        deletionGracePeriodSeconds: 30,
        annotations: { 'k8s.v1.cni.cncf.io/network-status': '[{"name":"a","ips":["10.7.0.1"]}]' },
      },
    },
  ],
  Node: world.nodes.map((node) => ({
    ...node,
    status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }], conditions: [] },
  })),
  Service: world.service === undefined ? [] : [world.service],
  EndpointSlice: slicesOf(world, 'sliceflow.dev'),
} satisfies Objects

const brokenWorld: fc.Arbitrary<Objects> = fc
  .constantFrom(...(Object.keys(SOUND) as (keyof Objects)[]))
  .chain((kind) =>
    mutated(SOUND[kind][0] as object).map((broken) => ({
      ...SOUND,
      [kind]: [broken, ...SOUND[kind].slice(1)],
    })),
  )

function explain(objects: Objects, subject: Subject): Promise<SubjectReport> {
  const client = clientOf(objects)
  return explainSubject({
    ...{ subject, clusters: ['a'] },
    clusterOf: () => ({ client, nodes: createNodeReader(client) }),
    settings: parseSettings({ mode: 'replace' }),
    signal: new AbortController().signal,
    now: () => NOW,
  })
}

it('an object that is not of its form holds up no answer', async () => {
  await fc.assert(
    fc.asyncProperty(brokenWorld, fc.constantFrom(...SUBJECTS), async (objects, subject) => {
      expect(describeSubject(await explain(objects, subject), NOW)).toContain('Asked:')
    }),
    { numRuns: 300 },
  )
})

it('a slice whose labels are null names no Service, and is found all the same', async () => {
  const [slice] = SOUND.EndpointSlice
  const unlabelled = { ...slice, metadata: { ...slice?.metadata, labels: null } } as unknown as EndpointSlice
  const report = await explain({ ...SOUND, EndpointSlice: [unlabelled] }, { kind: 'Pod', name: 'web-1' })
  expect(report.objects.flatMap(({ services }) => services.map(({ outcome }) => outcome))).toContain(
    'Foreign',
  )
})

it('an object that is not of its form is named', async () => {
  const [slice] = SOUND.EndpointSlice
  const broken = { ...slice, endpoints: 7 } as unknown as EndpointSlice
  const { warnings } = await explain({ ...SOUND, EndpointSlice: [broken] }, { kind: 'Pod', name: 'web-1' })
  expect(warnings).toEqual([
    expect.stringMatching(/^an object of cluster a is not of its form: EndpointSlice web-\w+: endpoints/),
  ])
})
