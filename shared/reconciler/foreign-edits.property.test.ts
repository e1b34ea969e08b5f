import fc from 'fast-check'
import { expect, it } from 'vitest'
import { makeNode } from '../../test/support/world/index.ts'
import { ANNOTATION_SEAL, seal } from '../changes/index.ts'
import {
  type Endpoint,
  type EndpointSlice,
  LABEL_HEADLESS,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
} from '../endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SLICES,
  NODES,
  PODS,
  SERVICES,
} from '../kubernetes/index.ts'
import type { Reconcile } from '../queue/consumer/index.ts'
import { parseSettings } from '../settings/index.ts'
import { SILENT_LOG } from '../telemetry/index.ts'
import { SliceFightError } from './guards/fights/fights.ts'
import {
  ANNOTATION_HELD_SINCE,
  ANNOTATION_REPAIRS,
  ANNOTATION_UNVERIFIED_SINCE,
} from './guards/published/slice-annotations.ts'
import {
  createMemoryCluster,
  KEY,
  type MemoryCluster,
  webPod,
  webService,
} from './memory-cluster.fixtures.ts'
import { createReconciler } from './reconcile-service.ts'

const LABEL_PROXY = 'service.kubernetes.io/service-proxy-name'
const MANAGED_BY = 'sliceflow.dev'
const START = Date.parse('2026-01-01T12:00:00Z')

type Edit = (slice: EndpointSlice, value: number) => EndpointSlice

const withMetadata = (slice: EndpointSlice, more: EndpointSlice['metadata']): EndpointSlice => ({
  ...slice,
  metadata: { ...slice.metadata, ...more },
})
const label =
  (name: string, textOf: (value: number) => string = () => ''): Edit =>
  (slice, value) =>
    withMetadata(slice, { labels: { ...slice.metadata?.labels, [name]: textOf(value) } })
const annotate =
  (name: string, textOf: (value: number) => string): Edit =>
  (slice, value) =>
    withMetadata(slice, { annotations: { ...slice.metadata?.annotations, [name]: textOf(value) } })
const endpoints =
  (change: (endpoint: Endpoint, value: number) => Endpoint[]): Edit =>
  (slice, value) => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).flatMap((endpoint) => change(endpoint, value)),
  })
const bogus: Edit = (slice, value) => ({
  ...slice,
  endpoints: [...(slice.endpoints ?? []), { addresses: [`10.66.6.${value}`], conditions: { ready: true } }],
})
const time = (value: number): string => new Date(START + value * 10 ** 9).toISOString()

/** Edits that others may make to a slice; `undefined`: they delete it. */
const EDITS: Readonly<Record<string, Edit | undefined>> = {
  deleted: undefined,
  stripped: (slice) => withMetadata(slice, { annotations: {} }),
  emptied: (slice) => ({ ...slice, endpoints: [] }),
  bogus,
  'bogus, and sealed': (slice, value) => seal(bogus(slice, value)),
  replaced: (slice, value) => bogus({ ...slice, endpoints: [] }, value),
  shortened: (slice) => ({ ...slice, endpoints: slice.endpoints?.slice(1) ?? [] }),
  unready: endpoints((endpoint) => [{ ...endpoint, conditions: { ready: false } }]),
  moved: endpoints((endpoint, value) => [{ ...endpoint, addresses: [`10.66.7.${value}`] }]),
  doubled: endpoints((endpoint) => [endpoint, endpoint]),
  'of other pods': endpoints((endpoint, value) => [
    { ...endpoint, targetRef: { ...endpoint.targetRef, uid: `uid-${value}` } },
  ]),
  ported: (slice, value) => ({ ...slice, ports: [{ name: 'http', port: 6000 + value, protocol: 'TCP' }] }),
  portless: (slice) => ({ ...slice, ports: [] }),
  headless: label(LABEL_HEADLESS),
  proxied: label(LABEL_PROXY),
  'to another Service': label(LABEL_SERVICE_NAME, (value) => `other-${value}`),
  'to another manager': label(LABEL_MANAGED_BY, (value) => `other-${value}`),
  unlabelled: (slice) =>
    withMetadata(slice, { labels: { [LABEL_SERVICE_NAME]: 'web', [LABEL_MANAGED_BY]: MANAGED_BY } }),
  disowned: (slice) => withMetadata(slice, { ownerReferences: [] }),
  'with another seal': annotate(ANNOTATION_SEAL, (value) => `2.${value}`),
  'said to be repaired often': annotate(ANNOTATION_REPAIRS, (value) => `999999 ${time(value - 4)}`),
  'said to be held': annotate(ANNOTATION_HELD_SINCE, (value) => time(value - 4)),
  'said to be out of reach': annotate(ANNOTATION_UNVERIFIED_SINCE, (value) => time(value - 4)),
}

/** Changes that webhooks may make to each of our writes and that leave the published endpoints right. */
const WEBHOOKS: Readonly<Record<string, Edit>> = {
  none: (slice) => slice,
  label: label('mesh', () => 'on'),
  'a label of the write': label('written', String),
  'a label without a value': label('seen'),
  owner: (slice) =>
    withMetadata(slice, {
      ownerReferences: [
        ...(slice.metadata?.ownerReferences ?? []).filter(({ kind }) => kind !== 'Mesh'),
        { apiVersion: 'mesh/v1', kind: 'Mesh', name: 'mesh', uid: 'mesh' },
      ],
    }),
  'a field of later': endpoints((endpoint) => [{ ...endpoint, weight: 1 } as Endpoint]),
  order: (slice) => ({ ...slice, endpoints: slice.endpoints?.toReversed() ?? [] }),
  annotation: annotate('written', String),
  seal: annotate(ANNOTATION_SEAL, String),
  repairs: annotate(ANNOTATION_REPAIRS, () => `999999 ${time(4)}`),
}

/** Puts a webhook for slices in front of the API server. */
function withWebhook(client: ApiClient, mutate: Edit): ApiClient {
  let writes = 0
  const mutated = <T extends ApiObject>(resource: unknown, object: T): T =>
    resource === ENDPOINT_SLICES
      ? (mutate(object as unknown as EndpointSlice, ++writes) as unknown as T)
      : object
  return {
    ...client,
    create: (resource, object, options) => client.create(resource, mutated(resource, object), options),
    update: (resource, object, options) => client.update(resource, mutated(resource, object), options),
  }
}

const isOurs = ({ metadata }: EndpointSlice): boolean =>
  metadata?.labels?.[LABEL_SERVICE_NAME] === 'web' && metadata.labels[LABEL_MANAGED_BY] === MANAGED_BY

/** Returns what kube-proxy reads in our slices. */
function publishedIn(cluster: MemoryCluster): string[] {
  const read = cluster.all(ENDPOINT_SLICES).filter((slice) => {
    const { labels = {} } = slice.metadata ?? {}
    return isOurs(slice) && labels[LABEL_HEADLESS] === undefined && labels[LABEL_PROXY] === undefined
  })
  const found = read.flatMap(({ endpoints: all, ports }) =>
    (all ?? []).flatMap(({ addresses, conditions }) =>
      (ports ?? []).map(({ port }) => `${addresses.join()}:${port} ${conditions?.ready}`),
    ),
  )
  return found.sort()
}

type PodState = 'ready' | 'unready' | 'gone'

interface Step {
  readonly edits: readonly { readonly kind: string; readonly slice: number; readonly value: number }[]
  readonly pods: readonly { readonly number: number; readonly state: PodState }[]
  readonly seconds: number
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    edits: fc.array(
      fc.record({ kind: fc.constantFrom(...Object.keys(EDITS)), slice: fc.nat(3), value: fc.nat(8) }),
      { maxLength: 3 },
    ),
    pods: fc.array(
      fc.record({
        number: fc.integer({ min: 1, max: 6 }),
        state: fc.constantFrom<PodState>('ready', 'unready', 'gone'),
      }),
      { maxLength: 2 },
    ),
    seconds: fc.constantFrom(1, 5, 40),
  }),
  { maxLength: 15 },
)

/** So often somebody may do the same, and it is nobody's fight. */
const TIMES = 4
/** Taken for one thing by whoever counts it: the slice is not there with its notes. */
const LOSSES = ['deleted', 'stripped', 'to another manager', 'to another Service']

/** A cluster, others who edit its slices, and a function that syncs on demand. */
class World {
  readonly cluster = createMemoryCluster()
  readonly #pods = new Map<number, boolean>()
  readonly #times = new Map<string, number>()
  readonly #reconcile: Reconcile
  #now = START

  constructor(webhook: string) {
    const client = withWebhook(this.cluster.client, WEBHOOKS[webhook] ?? ((slice) => slice))
    this.#reconcile = createReconciler({
      clientOf: () => client,
      settings: parseSettings({ mode: 'replace', managedBy: MANAGED_BY, maxEndpointsPerSlice: 2 }),
      logger: SILENT_LOG,
      clock: { now: () => this.#now, pause: async () => {} },
    })
    this.cluster.put(NODES, makeNode())
    const { metadata, ...service } = webService()
    this.cluster.put(SERVICES, { ...service, metadata: { ...metadata, labels: { team: '' } } })
    for (const number of [1, 2, 3, 4, 5]) this.put(number, 'ready')
  }

  pass(seconds: number): void {
    this.#now += seconds * 1000
  }

  put(number: number, state: PodState): void {
    if (state === 'gone') {
      this.cluster.remove(PODS, `web-${number}`)
      this.#pods.delete(number)
    } else {
      this.cluster.put(PODS, webPod(number, state === 'ready'))
      this.#pods.set(number, state === 'ready')
    }
  }

  /** Does nothing that was done too often. */
  edit({ kind, slice: at, value }: Step['edits'][number]): void {
    const ours = this.cluster.all(ENDPOINT_SLICES).filter(isOurs)
    const found = ours[at % Math.max(1, ours.length)]
    const thing = LOSSES.includes(kind) ? 'lost' : kind
    const times = (this.#times.get(thing) ?? 0) + 1
    if (found === undefined || times > TIMES) return
    this.#times.set(thing, times)
    const edit = EDITS[kind]
    if (edit === undefined) this.cluster.remove(ENDPOINT_SLICES, found.metadata?.name ?? '')
    else this.cluster.put(ENDPOINT_SLICES, edit(found, value))
  }

  async sync(times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      this.pass(0.1)
      const context = { signal: AbortSignal.timeout(60_000), sentTimestamp: this.#now, receiveCount: 1 }
      await this.#reconcile({ ...KEY, messageIds: [] }, context).catch((error: unknown) => {
        if (!(error instanceof SliceFightError)) throw error
      })
    }
  }

  expected(): string[] {
    return [...this.#pods].map(([number, ready]) => `10.0.0.${number}:8080 ${ready}`).sort()
  }
}

it('publishes what the pods are within two syncs, whatever others and webhooks make of the slices', async () => {
  const webhooks = fc.constantFrom(...Object.keys(WEBHOOKS))
  const property = fc.asyncProperty(steps, webhooks, async (history, webhook) => {
    const world = new World(webhook)
    await world.sync(1)
    for (const { edits, pods, seconds } of history) {
      for (const edit of edits) world.edit(edit)
      for (const { number, state } of pods) world.put(number, state)
      await world.sync(2)
      expect(publishedIn(world.cluster)).toEqual(world.expected())
      // The relay's further keys where a webhook breaks the seals.
      await world.sync(3)
      world.pass(seconds)
    }
  })
  await fc.assert(property, { numRuns: 80 })
}, 120_000)
