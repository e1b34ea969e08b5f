import { type Change, createClusterIndex } from '../../changes/index.ts'
import { BATCH_SIZE, FUNCTION_GB, POLLERS } from '../../costs/index.ts'
import type { EndpointSlice, Pod, Service } from '../../endpointslice/index.ts'
import type { PolicyName } from '../policies/index.ts'
import { createRandom } from '../random.ts'
import type { Encoding } from '../sizes/index.ts'
import {
  createPodAnswers,
  type Found,
  type PodEvent,
  type ServiceEvent,
  type Workload,
  type WorkloadEvent,
} from '../workloads/index.ts'
import { createSimulatedClock } from './clock.ts'
import { type BatchSettings, createEventSource } from './event-source.ts'
import type { RunMeasures, WriteMeasures } from './measures.ts'
import { createRelay } from './relay.ts'
import { createSyncTimes } from './sync-times.ts'
import { createSyncs } from './syncs.ts'
import { CLUSTER, createWorld } from './world.ts'

/** Settings of a deployment. Default: theirs. */
export interface SimulatedSettings {
  readonly coalescingWindow?: 'auto' | number | undefined
  readonly maxEndpointsPerSlice?: number | undefined
  readonly apiCallsPerSecond?: number | undefined
  /** Settings of the live lane, and its pollers: five, with which Lambda begins. */
  readonly batches?: Partial<BatchSettings> | undefined
}

/** Watchers that are sent each event. */
export interface Watching {
  /** Their number. Default: one on each of the workload's Nodes, as kube-proxy is. */
  readonly watchers?: number | undefined
  /** Default protobuf, as kube-proxy does. */
  readonly encoding?: Encoding | undefined
}

/** Observes a simulation. */
export interface SimulationObserver {
  /** Called with the messages that are sent at a moment. */
  readonly onSent?: (atMs: number, changes: readonly Change[]) => void
  /** Called now and then with the number of events that are through, and the simulated time. */
  readonly onProgress?: (events: number, atMs: number) => void
  /** Called with the first Service's slices when they are made, and whenever they are written. */
  readonly onSlices?: (atMs: number, slices: () => readonly EndpointSlice[]) => void
}

export interface SimulationOptions {
  readonly workload: Workload
  readonly policy: PolicyName
  readonly settings?: SimulatedSettings
  readonly watching?: Watching
  /**
   * Least and longest time, in milliseconds, from the sending of a message until what it leads to is seen
   * written. Default: as the workload says, or else 15 to 40.
   */
  readonly syncMs?: readonly [least: number, most: number]
  /** Default 1. */
  readonly seed?: number
  readonly observer?: SimulationObserver
}

export interface SimulationResult {
  /** Costs of the objects that are made at first. */
  readonly create: WriteMeasures
  /** Results of all that came afterwards. */
  readonly run: RunMeasures
}

const PROGRESS_EVENTS = 1000
const IGNORE = (): void => undefined

/** The settings as they are by default; a test compares them. */
export const BATCHES: BatchSettings = {
  batchWindow: 0,
  batchSize: BATCH_SIZE,
  maximumConcurrency: 5,
  pollers: POLLERS,
  keysPerCluster: 8,
}

/**
 * Plays a workload to one policy, event by event in simulated time:
 * 1. The relay's own index finds the Services that a Pod's event changes. Its coalescing decides when their
 *    keys are sent.
 * 2. Messages are gathered into batches, and a call of the function works on each. A sync begins when its
 *    call comes to it, and what it writes is seen `syncMs` later. One sync of a Service goes on at a time;
 *    messages that come meanwhile are one.
 * 3. The sync publishes the Pods that the message names, or all of the Service, by the policy.
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
  const index = createRelayIndex()
  const counts = { events: 0, changes: 0 }

  function find({ services = [], nodes = [], pods = [] }: Partial<Found>): void {
    world.find({ services, nodes, pods }, index.find(services, pods), clock.now())
  }

  function handle(event: WorkloadEvent): void {
    if ('sync' in event) {
      times.add(event.sync)
      return
    }
    if (!workload.areMomentsOne || event.atMs > clock.now()) clock.advanceTo(event.atMs)
    if ('found' in event) {
      find(event.found)
      return
    }
    const changes = index.changesOf(event)
    counts.events++
    world.happen(event, changes)
    counts.changes += changes.length
    for (const change of changes) relay.add(change)
    if (counts.events % PROGRESS_EVENTS === 0) onProgress(counts.events, clock.now())
  }

  find(workload)
  onSlices(clock.now(), world.slices)
  for await (const events of workload.events()) for (const event of events) handle(event)
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

/** The relay's own index: it finds the Services that objects change. */
function createRelayIndex() {
  const { services, pods } = createClusterIndex(CLUSTER, 'replace')
  const answers = createPodAnswers(pods)
  return {
    /** @returns the Services that each of the Pods is an endpoint of */
    find(foundServices: readonly Service[], foundPods: readonly Pod[]): (readonly Change[])[] {
      if (foundServices.length > 0) answers.renew()
      for (const service of foundServices) services.put(service)
      return foundPods.map(answers.put)
    },
    /** @returns the Services that the event changes */
    changesOf(event: PodEvent | ServiceEvent): readonly Change[] {
      if ('pod' in event) return event.isGone ? answers.remove(event.pod) : answers.put(event.pod)
      answers.renew()
      return event.isGone ? services.remove(event.service) : services.put(event.service)
    },
  }
}
