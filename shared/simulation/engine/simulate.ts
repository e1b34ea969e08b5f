import {
  type Change,
  createClusterIndex,
  createLookTime,
  createPace,
  createPendingChanges,
  type KeyText,
  keyText,
  liveRest,
  mergeChanges,
} from '../../changes/index.ts'
import type { EndpointSlice, Node, Pod } from '../../endpointslice/index.ts'
import { POLICIES, type PolicyName, type Publisher } from '../policies/index.ts'
import { createRandom } from '../random.ts'
import type { Encoding } from '../sizes/index.ts'
import type { PodEvent, Workload } from '../workloads/index.ts'
import { createSimulatedClock } from './clock.ts'
import {
  createObjectsOverTime,
  createWriteCounter,
  type RunMeasures,
  type WriteMeasures,
} from './measures.ts'
import { createSamples } from './samples.ts'

export interface SimulationOptions {
  readonly workload: Workload
  readonly policy: PolicyName
  /** As the setting of this name; default `auto`. */
  readonly coalescingWindow?: 'auto' | number
  /** Default 100. */
  readonly maxEndpointsPerSlice?: number
  /** What watchers read; default protobuf, as kube-proxy does. */
  readonly encoding?: Encoding
  /** As the setting of this name; default 1000. */
  readonly apiCallsPerSecond?: number
  /** From the sending of a message until what it leads to is seen written, at least and at most, in milliseconds; default 15 to 40. */
  readonly lookMs?: readonly [least: number, most: number]
  /** Default 1. */
  readonly seed?: number
  /** Told now and then how many events are through. */
  readonly onProgress?: (events: number) => void
  /** Told of the first Service's slices as they are made, and whenever they are written. */
  readonly onSlices?: (atMs: number, slices: () => readonly EndpointSlice[]) => void
}

export interface SimulationResult {
  /** Of the objects as they are made at first. */
  readonly create: WriteMeasures
  /** Of what came afterwards. */
  readonly run: RunMeasures
}

const CLUSTER = 'simulated'
/** As in the relay: a look takes two to four calls. */
const CALLS_A_LOOK = 4
/** Keys handed to the sender at a time, and messages a call of the function (`batchSize`). */
const SEND_LIMIT = 100
const BATCH_SIZE = 10
/** Memory of the reconcile function, in GB. */
const FUNCTION_GB = 0.5
/** Lists of slices and Pods, and the Service. */
const WHOLE_LOOK_READS = 3
const PROGRESS_EVENTS = 1000

/** What the simulation knows of one Service. */
interface ServiceState {
  readonly pods: Map<string, Pod>
  readonly publisher: Publisher
  /** When each Pod changed since it was published, by its name. */
  readonly unpublished: Map<string, number[]>
  /** A look goes on, and this is to be looked at next. */
  isLooking: boolean
  next: Change | undefined
}

/**
 * Plays a workload to one policy, event by event in simulated time:
 * 1. The relay's own index tells which Services a Pod's event changes, and its coalescing when their keys are sent.
 * 2. A look begins with the message, and what it writes is seen `lookMs` later. One look at a Service goes on at a time;
 *    messages that come meanwhile are one, as in a batch.
 * 3. The look publishes the Pods that the message names, or all of the Service, by the policy.
 */
export async function simulate({
  workload,
  policy,
  coalescingWindow = 'auto',
  maxEndpointsPerSlice = 100,
  encoding = 'protobuf',
  apiCallsPerSecond = 1000,
  lookMs: [leastMs, mostMs] = [15, 40],
  seed = 1,
  onProgress = () => undefined,
  onSlices = () => undefined,
}: SimulationOptions): Promise<SimulationResult> {
  const clock = createSimulatedClock()
  const random = createRandom(seed)
  const nodes = new Map<string, Node>(workload.nodes.map((node) => [node.metadata?.name ?? '', node]))
  const index = createClusterIndex(CLUSTER, 'replace')
  const states = new Map<KeyText, ServiceState>()
  const staleness = createSamples()
  const creates = createWriteCounter(workload.nodes.length)
  const writes = createWriteCounter(workload.nodes.length)
  const counts = { events: 0, changes: 0, messages: 0, batches: 0, apiReads: 0, lookMs: 0 }

  for (const service of workload.services) {
    index.services.put(service)
    const { namespace = '', name = '' } = service.metadata ?? {}
    states.set(keyText({ cluster: CLUSTER, namespace, service: name }), {
      pods: new Map(),
      publisher: POLICIES[policy](service, { nodes, encoding, maxEndpointsPerSlice }),
      unpublished: new Map(),
      isLooking: false,
      next: undefined,
    })
  }
  for (const pod of workload.pods) {
    for (const change of index.pods.put(pod)) stateOf(change).pods.set(pod.metadata?.name ?? '', pod)
  }
  for (const { publisher, pods } of states.values()) creates.add(publisher.publish(pods))
  const [filmed] = states.values()
  if (filmed !== undefined) onSlices(clock.now(), filmed.publisher.slices)
  const totals = { objects: 0, least: 0 }
  for (const { publisher } of states.values()) {
    totals.objects += publisher.objects
    totals.least += publisher.leastObjects
  }
  const objects = createObjectsOverTime(totals.objects, totals.least)

  function stateOf(change: Change): ServiceState {
    const state = states.get(keyText(change))
    if (state === undefined) throw new Error(`the workload has no Service ${keyText(change)}`)
    return state
  }

  // 1.
  const lookTime = createLookTime(clock.now)
  const pace = createPace(apiCallsPerSecond / CALLS_A_LOOK, clock.now)
  let isPaused = false
  const pending = createPendingChanges({
    now: clock.now,
    timers: clock.timers,
    restOf: (key) => liveRest(coalescingWindow, stateOf(key).publisher.endpoints, lookTime.mostMs(key)),
    isSettled: (change) => {
      const { unpublished } = stateOf(change)
      return change.pods?.every((pod) => !unpublished.has(pod)) ?? false
    },
    onDue: () => clock.timers.set(send, 0),
  })

  function send(): void {
    for (;;) {
      const left = Math.min(SEND_LIMIT, pace.left())
      if (left === 0) {
        pause()
        return
      }
      const due = pending.take(left)
      if (due.length === 0) return
      pace.sent(due.length)
      counts.messages += due.length
      counts.batches += Math.ceil(due.length / BATCH_SIZE)
      for (const { change } of due) {
        lookTime.sent(change)
        receive(change)
      }
    }
  }

  function pause(): void {
    if (isPaused) return
    isPaused = true
    clock.timers.set(() => {
      isPaused = false
      send()
    }, pace.waitMs())
  }

  // 2.
  function receive(change: Change): void {
    const state = stateOf(change)
    if (state.isLooking) state.next = state.next === undefined ? change : mergeChanges(state.next, change)
    else look(state, change)
  }

  // 3.
  function look(state: ServiceState, change: Change): void {
    state.isLooking = true
    const takesMs = leastMs + random.fraction() * (mostMs - leastMs)
    counts.lookMs += takesMs
    counts.apiReads += change.pods?.length ?? WHOLE_LOOK_READS
    const { publisher, pods, unpublished } = state
    const changed = change.pods ?? [...unpublished.keys()]
    const before = { objects: publisher.objects, least: publisher.leastObjects }
    const made = publisher.publish(pods, changed)
    const published = changed.flatMap((pod) => unpublished.get(pod) ?? [])
    for (const pod of changed) unpublished.delete(pod)
    clock.timers.set(() => {
      for (const since of published) staleness.add(clock.now() - since)
      if (made.length > 0) {
        writes.add(made)
        totals.objects += publisher.objects - before.objects
        totals.least += publisher.leastObjects - before.least
        objects.now(clock.now(), totals.objects, totals.least)
        if (state === filmed) onSlices(clock.now(), publisher.slices)
        lookTime.written(change)
        pending.written(change)
      }
      state.isLooking = false
      const { next } = state
      state.next = undefined
      if (next !== undefined) look(state, next)
    }, takesMs)
  }

  function tell({ atMs, pod, isGone }: PodEvent): void {
    clock.advanceTo(atMs)
    counts.events++
    const name = pod.metadata?.name ?? ''
    for (const change of isGone ? index.pods.remove(pod) : index.pods.put(pod)) {
      counts.changes++
      const { pods, unpublished } = stateOf(change)
      if (isGone) pods.delete(name)
      else pods.set(name, pod)
      const since = unpublished.get(name)
      if (since === undefined) unpublished.set(name, [atMs])
      else since.push(atMs)
      pending.add(change)
    }
    if (counts.events % PROGRESS_EVENTS === 0) onProgress(counts.events)
  }

  for await (const event of workload.events()) tell(event)
  clock.runOut()

  return {
    create: creates.read(),
    run: {
      ...writes.read(),
      seconds: clock.now() / 1000,
      events: counts.events,
      changes: counts.changes,
      messages: counts.messages,
      batches: counts.batches,
      apiReads: counts.apiReads,
      gbSeconds: (counts.lookMs / 1000) * FUNCTION_GB,
      stalenessMs: { p50: staleness.percentile(0.5), p99: staleness.percentile(0.99) },
      objectsToLeast: objects.read(clock.now()),
    },
  }
}
