import type { Change } from '../../changes/index.ts'
import { BATCH_SIZE, FUNCTION_GB, POLLERS } from '../../costs/index.ts'
import type { EndpointSlice } from '../../endpointslice/index.ts'
import type { PolicyName } from '../policies/index.ts'
import { createRandom } from '../random.ts'
import type { Encoding } from '../sizes/index.ts'
import { type RelayEvent, replay, type Workload } from '../workloads/index.ts'
import { createSimulatedClock } from './clock.ts'
import { type BatchSettings, createEventSource } from './event-source.ts'
import type { RunMeasures, WriteMeasures } from './measures.ts'
import { createRelay } from './relay.ts'
import { createSyncTimes } from './sync-times.ts'
import { createSyncs } from './syncs.ts'
import { createWorld } from './world.ts'

/** Settings of a deployment. Default: the defaults of these settings. */
export interface SimulatedSettings {
  readonly coalescingWindow?: 'auto' | number | undefined
  readonly maxEndpointsPerSlice?: number | undefined
  readonly apiCallsPerSecond?: number | undefined
  /** Settings of the live lane, and its pollers: five, as Lambda starts with. */
  readonly batches?: Partial<BatchSettings> | undefined
}

/** Clients that receive each watch event. */
export interface Watching {
  /** Number of watchers. Default: one per Node of the workload, like kube-proxy. */
  readonly watchers?: number | undefined
  /** Default protobuf, like kube-proxy. */
  readonly encoding?: Encoding | undefined
}

/** Observes a simulation. */
export interface SimulationObserver {
  /** Called with the messages sent at one time. */
  readonly onSent?: (atMs: number, changes: readonly Change[]) => void
  /** Called every 1,000 events with their number so far and the simulated time. */
  readonly onProgress?: (events: number, atMs: number) => void
  /** Called with the slices of the first Service when they are created, and at each write. */
  readonly onSlices?: (atMs: number, slices: () => readonly EndpointSlice[]) => void
}

export interface SimulationOptions {
  readonly workload: Workload
  readonly policy: PolicyName
  readonly settings?: SimulatedSettings
  readonly watching?: Watching
  /**
   * Minimum and maximum milliseconds from the sending of a message until its writes are observed. Default: as
   * the workload says, otherwise 15 to 40.
   */
  readonly syncMs?: readonly [min: number, max: number]
  /** Default 1. */
  readonly seed?: number
  readonly observer?: SimulationObserver
}

export interface SimulationResult {
  /** Costs of creating the initial objects. */
  readonly create: WriteMeasures
  /** Results of everything after that. */
  readonly run: RunMeasures
}

const PROGRESS_EVENTS = 1000
const IGNORE = (): void => undefined

/** The default settings; a test compares them with those of a deployment. */
export const BATCHES: BatchSettings = {
  batchWindow: 0,
  batchSize: BATCH_SIZE,
  maximumConcurrency: 5,
  pollers: POLLERS,
  keysPerCluster: 8,
}

/**
 * Runs a workload with one policy, event by event in simulated time:
 * 1. The relay's own index finds the Services that an event changes. Its coalescing decides when their keys
 *    are sent.
 * 2. Messages are collected into batches, one per call of the function. The writes of a sync are observed
 *    `syncMs` after its start. A Service has one sync at a time; messages that arrive meanwhile are merged.
 * 3. The sync publishes the Pods that the message names, or the whole Service, by the policy.
 * @example
 * ```ts
 * const workload = rollingWorkload({ services: 1, endpoints: 20, nodes: 5 }, { seed: 1 })
 * const { run } = await simulate({ workload, policy: 'in-tree', settings: { coalescingWindow: 1 } })
 * run.writes <= run.changes // => true
 * ```
 */
export async function simulate({
  workload,
  policy,
  settings = {},
  watching = {},
  syncMs,
  seed = 1,
  observer = {},
}: SimulationOptions): Promise<SimulationResult> {
  const { coalescingWindow = 'auto', maxEndpointsPerSlice = 100, apiCallsPerSecond = 1000 } = settings
  const { watchers, encoding = 'protobuf' } = watching
  const { onSent = IGNORE, onProgress = IGNORE, onSlices = IGNORE } = observer
  const clock = createSimulatedClock()
  const { isSealed } = workload
  const world = createWorld({ policy, encoding, maxEndpointsPerSlice, watchers, isSealed })
  const random = createRandom(seed)
  const times = createSyncTimes({ fraction: random.fraction, syncMs })
  const syncs = createSyncs({ clock, world, times, onSlices })
  const source = createEventSource({ clock, syncs, ...BATCHES, ...settings.batches })
  const relay = createRelay({ clock, world, syncs, source, onSent, coalescingWindow, apiCallsPerSecond })
  const counts = { events: 0, changes: 0 }

  function handle(relayEvent: RelayEvent): void {
    if (!('changes' in relayEvent || 'ofPods' in relayEvent)) {
      times.add(relayEvent.event.sync)
      return
    }
    const { event } = relayEvent
    if (!workload.areMomentsOne || event.atMs > clock.now()) clock.advanceTo(event.atMs)
    if ('ofPods' in relayEvent) {
      world.find(relayEvent.event.found, relayEvent.ofPods, clock.now())
      return
    }
    const { changes } = relayEvent
    counts.events++
    world.happen(relayEvent.event, changes)
    counts.changes += changes.length
    for (const change of changes) relay.add(change)
    if (counts.events % PROGRESS_EVENTS === 0) onProgress(counts.events, clock.now())
  }

  let isBegun = false
  for await (const batch of replay(workload)) {
    for (const relayEvent of batch) {
      handle(relayEvent)
      if (!isBegun) onSlices(clock.now(), world.slices)
      isBegun = true
    }
  }
  clock.runOut()

  return {
    create: world.created(),
    run: {
      ...world.written(),
      seconds: clock.now() / 1000,
      ...counts,
      messages: relay.counts.messages,
      batches: source.counts.batches,
      queueRequests: relay.counts.sends + source.counts.requests,
      apiReads: syncs.counts.apiReads,
      gbSeconds: (source.counts.callMs / 1000) * FUNCTION_GB,
      stalenessMs: syncs.staleness(),
      objectsToLeast: world.objectsToLeast(clock.now()),
    },
  }
}
