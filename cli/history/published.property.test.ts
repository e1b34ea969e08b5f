import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type EndpointSlice,
  LABEL_MANAGED_BY,
  LABEL_SERVICE_NAME,
  type Pod,
} from '../../shared/endpointslice/index.ts'
import { type ApiClient, ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../shared/kubernetes/index.ts'
import type { Reconcile } from '../../shared/queue/consumer/index.ts'
import { createReconciler, SliceFightError } from '../../shared/reconciler/index.ts'
import {
  createMemoryCluster,
  KEY,
  webPod,
  webService,
} from '../../shared/reconciler/memory-cluster.fixtures.ts'
import { type RecordingLine, recordedEndpoint } from '../../shared/recording/index.ts'
import {
  createMemoryRecorder,
  createMemorySink,
  type MemorySink,
} from '../../shared/recording/writing/memory-sink.fixtures.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import { makeNode } from '../../test/support/world/index.ts'
import { inOrder, merge } from './in-order.ts'
import { type PublishedSlice, publishedAt } from './index.ts'
import { stream } from './lines.fixtures.ts'

const MANAGED_BY = 'sliceflow.dev'
const START = Date.parse('2026-01-01T12:00:00Z')
const SETTINGS = parseSettings({
  mode: 'replace',
  managedBy: MANAGED_BY,
  maxEndpointsPerSlice: 2,
  packing: 'compact',
})

/** Edits of a slice by others; `undefined`: they delete it. */
const EDITS: Readonly<Record<string, ((slice: EndpointSlice) => EndpointSlice) | undefined>> = {
  deletes: undefined,
  empties: (slice) => ({ ...slice, endpoints: [] }),
  shortens: (slice) => ({ ...slice, endpoints: slice.endpoints?.slice(1) ?? [] }),
  doubles: (slice) => ({ ...slice, endpoints: [...(slice.endpoints ?? []), ...(slice.endpoints ?? [])] }),
  adds: (slice) => ({ ...slice, endpoints: [...(slice.endpoints ?? []), { addresses: ['10.66.6.6'] }] }),
  'gives other ports': (slice) => ({ ...slice, ports: [{ name: 'http', port: 6000, protocol: 'TCP' }] }),
  'takes over': (slice) => ({
    ...slice,
    metadata: { ...slice.metadata, labels: { ...slice.metadata?.labels, [LABEL_MANAGED_BY]: 'other' } },
  }),
}

/** Workers may be new processes, a file may be rotated, and a sink may be full. */
type Accident = 'restart' | 'rotation' | 'loss'

interface Step {
  readonly pods: readonly { readonly number: number; readonly state: 'ready' | 'unready' | 'gone' }[]
  readonly edits: readonly { readonly kind: string; readonly slice: number }[]
  readonly worker: 0 | 1
  readonly accident: Accident | undefined
}

const STEPS: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    pods: fc.array(
      fc.record({
        number: fc.integer({ min: 1, max: 7 }),
        state: fc.constantFrom('ready', 'unready', 'gone'),
      }),
      { maxLength: 3 },
    ),
    edits: fc.array(fc.record({ kind: fc.constantFrom(...Object.keys(EDITS)), slice: fc.nat(3) }), {
      maxLength: 2,
    }),
    worker: fc.constantFrom(0, 1),
    accident: fc.option(fc.constantFrom<Accident>('restart', 'rotation', 'loss'), {
      nil: undefined,
      freq: 4,
    }),
  }),
  { maxLength: 12 },
)

/** The slices of the Service as an API server had them from a time on. */
interface Moment {
  readonly time: number
  readonly slices: readonly EndpointSlice[]
  /** Whether a worker had seen what others did. */
  readonly isSeen: boolean
  /** Names of slices that others deleted without a sync that knew them: a recording cannot show it. */
  readonly missed: ReadonlySet<string>
}

class World {
  readonly moments: Moment[] = []
  readonly #cluster = createMemoryCluster()
  readonly #sinks: readonly MemorySink[]
  readonly #workers: Reconcile[]
  /** Slices that others deleted, until a worker syncs that has seen them. */
  readonly #missed = new Set<string>()
  #hasOneMemory = true
  #lookBegan = START
  #now = START
  #isSeen = true

  constructor(isShared: boolean) {
    this.#sinks = [createMemorySink(), createMemorySink()]
    for (const sink of this.#sinks) sink.isShared = isShared
    this.#workers = [this.#start(0), this.#start(1)]
    this.#cluster.put(NODES, makeNode())
    this.#cluster.put(SERVICES, webService())
  }

  async step({ pods, edits, worker, accident }: Step): Promise<void> {
    for (const { number, state } of pods) {
      if (state === 'gone') this.#cluster.remove(PODS, `web-${number}`)
      else this.#cluster.put<Pod>(PODS, webPod(number, state === 'ready'))
    }
    for (const edit of edits) this.#edit(edit)
    if (worker !== 0 || accident !== undefined) this.#hasOneMemory = false
    if (this.#hasOneMemory) this.#missed.clear()
    const sink = this.#sinks[worker]
    if (accident === 'restart') this.#workers[worker] = this.#start(worker)
    if (accident === 'rotation' && sink) sink.part++
    if (accident === 'loss') await this.#lookWithLoss(worker)
    await this.#look(worker)
  }

  lines(): AsyncIterable<RecordingLine> {
    return inOrder(merge(this.#sinks.map((sink) => stream(...sink.records()))), 1_000)
  }

  /** Reconciles while records are lost; the next sync records what is missing. */
  async #lookWithLoss(worker: 0 | 1): Promise<void> {
    const sink = this.#sinks[worker]
    if (sink === undefined || sink.isShared) return
    sink.hasRoom = false
    await this.#look(worker)
    sink.hasRoom = true
    for (const [index, moment] of this.moments.entries())
      if (moment.time > this.#lookBegan) this.moments[index] = { ...moment, isSeen: false }
    this.#isSeen = false
  }

  async #look(worker: 0 | 1): Promise<void> {
    this.#lookBegan = this.#now
    this.#isSeen = true
    this.#pass()
    const context = { signal: AbortSignal.timeout(60_000), sentTimestamp: this.#now, receiveCount: 1 }
    await this.#workers[worker]?.({ ...KEY, messageIds: [] }, context).catch((error: unknown) => {
      if (!(error instanceof SliceFightError)) throw error
    })
    this.#pass()
  }

  #edit({ kind, slice: at }: Step['edits'][number]): void {
    const ours = this.#slices()
    const found = ours[at % Math.max(1, ours.length)]
    if (found === undefined) return
    const name = found.metadata?.name ?? ''
    const edit = EDITS[kind]
    if (edit === undefined) this.#cluster.remove(ENDPOINT_SLICES, name)
    else this.#cluster.put(ENDPOINT_SLICES, edit(found))
    if (this.#slices().every(({ metadata }) => metadata?.name !== name)) this.#missed.add(name)
    this.#isSeen = false
    this.#pass()
  }

  /** Starts a new process on the same sink. */
  #start(worker: 0 | 1): Reconcile {
    const sink = this.#sinks[worker]
    if (sink === undefined) throw new Error('there are two workers')
    const now = (): number => this.#now
    const client = this.#client()
    return createReconciler({
      clientOf: () => client,
      settings: SETTINGS,
      logger: SILENT_LOG,
      clock: { now, pause: async () => {} },
      recorder: createMemoryRecorder({ sink, worker: `w${worker}`, now }).recorder,
    })
  }

  /**
   * Makes a client. Time passes with each write of a slice, and the next write waits until it is recorded: a
   * recording has the times of answers.
   */
  #client(): ApiClient {
    const { client } = this.#cluster
    let last: Promise<unknown> = Promise.resolve()
    const inTurn = <T>({ plural }: { readonly plural: string }, write: () => Promise<T>): Promise<T> => {
      if (plural !== ENDPOINT_SLICES.plural) return write()
      const writing = last.then(write).finally(() => this.#pass())
      last = writing.then(
        () => setImmediate(),
        () => setImmediate(),
      )
      return writing
    }
    return {
      ...client,
      create: (resource, ...rest) => inTurn(resource, () => client.create(resource, ...rest)),
      update: (resource, ...rest) => inTurn(resource, () => client.update(resource, ...rest)),
      delete: (resource, ...rest) => inTurn(resource, () => client.delete(resource, ...rest)),
    }
  }

  #pass(): void {
    this.#now++
    const slices = this.#slices()
    for (const { metadata } of slices) this.#missed.delete(metadata?.name ?? '')
    const missed = new Set(this.#missed)
    this.moments.push({ time: this.#now, slices, isSeen: this.#isSeen, missed })
  }

  #slices = (): EndpointSlice[] =>
    this.#cluster
      .all(ENDPOINT_SLICES)
      .filter(({ metadata }) => metadata?.labels?.[LABEL_MANAGED_BY] === MANAGED_BY)
      .filter(({ metadata }) => metadata?.labels?.[LABEL_SERVICE_NAME] === KEY.service)
}

/** Writes endpoints as texts in any order, as far as they are recorded. */
const texts = (slice: string, { endpoints, ports }: EndpointSlice | PublishedSlice): unknown => ({
  slice,
  ports,
  endpoints: (endpoints ?? []).map((endpoint) => JSON.stringify(recordedEndpoint(endpoint))).sort(),
})

it('is at any time what the API server had, whatever pods, others and accidents do', async () => {
  let compared = 0
  const property = fc.asyncProperty(STEPS, fc.boolean(), async (steps, isShared) => {
    const world = new World(isShared)
    for (const step of steps) await world.step(step)
    for (const { time, slices, isSeen, missed } of world.moments) {
      if (!isSeen) continue
      const report = await publishedAt(world.lines(), KEY, time)
      // After a loss a deleted slice may still be reported, but as uncertain. Workers that share a store
      // trust seals, and an edit that leaves a seal intact has a version without a record.
      const reported = report.slices.filter(
        ({ slice, isCertain }) => (isCertain || isShared) && !missed.has(slice),
      )
      expect(reported.map((slice) => texts(slice.slice, slice))).toEqual(
        slices.map((slice) => texts(slice.metadata?.name ?? '', slice)),
      )
      compared++
    }
  })
  await fc.assert(property, { numRuns: 75 })
  expect(compared).toBeGreaterThan(500)
}, 120_000)
