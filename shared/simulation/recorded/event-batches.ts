import { type Change, keyText, type ServiceKey } from '../../changes/index.ts'
import type { Pod } from '../../endpointslice/index.ts'
import { type PodEvent, podInState, type RelayEvent, SYNC_STEPS, stateOf } from '../workloads/index.ts'

/**
 * Events in the form in which one thread gives them to another. Most events give another state to a Pod that
 * both know, and concern one Service: numbers say that, a row in each column. All else is copied as it is,
 * which takes twenty times as long.
 */
export interface EventBatch {
  /** Kinds of the rows; see {@link STATE}. */
  readonly kinds: Uint8Array
  readonly times: Float64Array
  /** The version of the Pod; of a step how long it took. */
  readonly versions: Float64Array
  /** The number of the Pod; of the step. */
  readonly pods: Uint32Array
  /** The number of the Service that the Pod is an endpoint of; of a step how far its writes were apart. */
  readonly services: Uint32Array
  /** The rows that are of another kind, in their order. */
  readonly others: readonly RelayEvent[]
}

/** A row is one of these three kinds. */
const [STATE, READ, OTHER] = [1, 2, 4]
/** Flags of a Pod, and of its change. */
const [READY, TERMINATING, DEFERRABLE] = [8, 16, 32]

/**
 * Lists the buffers of a batch that may go from one thread to the other without being copied.
 * @example
 * ```ts
 * const [batch] = [createBatchWriter()([])]
 * buffersOf(batch).length // => 5
 * ```
 */
export const buffersOf = ({ kinds, times, versions, pods, services }: EventBatch): ArrayBufferLike[] =>
  [kinds, times, versions, pods, services].map(({ buffer }) => buffer)

/**
 * Encodes relay events as numbers; each batch must be read in its turn by one {@link createBatchReader}.
 * @example
 * ```ts
 * const workload = scaleWorkload({ services: 1, endpoints: 2, nodes: 1 }, { seed: 1 })
 * const [write, read] = [createBatchWriter(), createBatchReader()]
 * for await (const events of replay(workload)) {
 *   read(write(events)).length // => events.length
 * }
 * ```
 */
export function createBatchWriter(): (batch: readonly RelayEvent[]) => EventBatch {
  const known = createKnown()

  /** @returns false if the row cannot hold it */
  function writeState(batch: EventBatch, row: number, relayEvent: RelayEvent): boolean {
    if (!('changes' in relayEvent && 'pod' in relayEvent.event) || relayEvent.event.isGone) return false
    const { pod, atMs } = relayEvent.event
    const of = onlyChange(relayEvent.changes, pod)
    if (of === undefined) return false
    const number = known.numberOf(pod)
    const service = known.numberOfService(of)
    if (number === undefined || service === undefined) return false
    const { version, isReady, isTerminating } = stateOf(pod)
    batch.kinds[row] =
      STATE | (isReady ? READY : 0) | (isTerminating ? TERMINATING : 0) | (of.deferrable ? DEFERRABLE : 0)
    batch.times[row] = atMs
    batch.versions[row] = version
    batch.pods[row] = number
    batch.services[row] = service
    return true
  }

  return (relayEvent) => {
    const others: RelayEvent[] = []
    const batch = { ...columns(relayEvent.length), others }
    for (const [row, one] of relayEvent.entries()) {
      if (!('changes' in one || 'ofPods' in one)) {
        const { step, ms, spreadMs = 0 } = one.event.sync
        batch.kinds[row] = READ
        batch.times[row] = one.event.atMs
        batch.versions[row] = ms
        batch.pods[row] = SYNC_STEPS.indexOf(step)
        batch.services[row] = spreadMs
      } else if (!writeState(batch, row, one)) {
        batch.kinds[row] = OTHER
        others.push(one)
        known.learn(one)
      }
    }
    return batch
  }
}

/** Returns the change of a Pod if it concerns one Service and has the form of nearly all changes. */
function onlyChange(changes: readonly Change[], pod: Pod): Change | undefined {
  const [of] = changes
  if (of === undefined || changes.length > 1 || of.triggerTime !== undefined) return undefined
  return of.pods?.length === 1 && of.pods[0] === pod.metadata?.name ? of : undefined
}

/**
 * @example
 * ```ts
 * const workload = scaleWorkload({ services: 1, endpoints: 2, nodes: 1 }, { seed: 1 })
 * const [write, read] = [createBatchWriter(), createBatchReader()]
 * for await (const events of replay(workload)) {
 *   read(write(events)).length // => events.length
 * }
 * ```
 */
export function createBatchReader(): (batch: EventBatch) => RelayEvent[] {
  const known = createKnown()

  function readState({ times, versions, pods, services }: EventBatch, row: number, kind: number): RelayEvent {
    const number = pods[row] ?? 0
    const state = {
      version: versions[row] ?? 0,
      isReady: (kind & READY) !== 0,
      isTerminating: (kind & TERMINATING) !== 0,
    }
    const pod = podInState(known.pod(number) ?? {}, state)
    known.set(number, pod)
    const changes = known.changesOf(number, services[row] ?? 0, (kind & DEFERRABLE) !== 0)
    return { event: { atMs: times[row] ?? 0, pod }, changes }
  }

  return (batch) => {
    const others = batch.others.values()
    return Array.from(batch.kinds, (kind, row): RelayEvent => {
      if (kind & STATE) return readState(batch, row, kind)
      if (kind & READ) return readStep(batch, row)
      const other = others.next().value
      if (other === undefined) throw new Error('the batch has fewer rows than it says')
      known.learn(other)
      return other
    })
  }
}

function readStep({ times, versions, pods, services }: EventBatch, row: number): RelayEvent {
  const step = SYNC_STEPS[pods[row] ?? 0] ?? 'single'
  const [atMs = 0, ms = 0, spreadMs = 0] = [times[row], versions[row], services[row]]
  const isOfSeveral = step === 'several' || step === 'wholeSeveral'
  return { event: { atMs, sync: { step, ms, ...(isOfSeveral && { spreadMs }) } } }
}

const columns = (rows: number): Omit<EventBatch, 'others'> => ({
  kinds: new Uint8Array(rows),
  times: new Float64Array(rows),
  versions: new Float64Array(rows),
  pods: new Uint32Array(rows),
  services: new Uint32Array(rows),
})

interface KnownPod {
  readonly number: number
  pod: Pod
  /** Changes of the Service of this number, by whether they are deferrable. */
  service: number
  changes: (readonly Change[] | undefined)[]
}

/** Creates the numbers of Pods and Services, which both sides give to them by what was copied. */
function createKnown() {
  const pods: KnownPod[] = []
  const byKey = new Map<string, KnownPod>()
  /** The same by what a Pod keeps from state to state: that is found sooner than a text. */
  const bySpec = new Map<Pod['spec'], KnownPod>()
  const services: ServiceKey[] = []
  const serviceNumbers = new Map<string, number>()
  /** The same by changes of earlier events. */
  const byChange = new WeakMap<Change, number>()

  function learnPod(pod: Pod): void {
    const key = keyOf(pod)
    const before = byKey.get(key)
    const known: KnownPod = { number: before?.number ?? pods.length, pod, service: -1, changes: [] }
    if (before !== undefined) bySpec.delete(before.pod.spec)
    pods[known.number] = known
    byKey.set(key, known)
    bySpec.set(pod.spec, known)
  }

  function forget(pod: Pod): void {
    const key = keyOf(pod)
    bySpec.delete(byKey.get(key)?.pod.spec)
    byKey.delete(key)
  }

  function learnService({ cluster, namespace, service }: Change): void {
    const key = keyText({ cluster, namespace, service })
    if (serviceNumbers.has(key)) return
    serviceNumbers.set(key, services.push({ cluster, namespace, service }) - 1)
  }

  return {
    numberOf: (pod: Pod) => bySpec.get(pod.spec)?.number,
    pod: (number: number) => pods[number]?.pod,
    set(number: number, pod: Pod): void {
      const known = pods[number]
      if (known !== undefined) known.pod = pod
    },
    numberOfService(change: Change): number | undefined {
      const known = byChange.get(change)
      if (known !== undefined) return known
      const number = serviceNumbers.get(keyText(change))
      if (number !== undefined) byChange.set(change, number)
      return number
    },
    /**
     * Returns the change of a Service that one of its Pods is.
     * @throws Error for a number that was not given
     */
    changesOf(pod: number, service: number, isDeferrable: boolean): readonly Change[] {
      const known = pods[pod]
      const key = services[service]
      if (known === undefined || key === undefined) throw new Error(`no Service has the number ${service}`)
      if (known.service !== service) Object.assign(known, { service, changes: [] })
      const place = isDeferrable ? 1 : 0
      const names = [known.pod.metadata?.name ?? '']
      known.changes[place] ??= [{ ...key, pods: names, ...(isDeferrable && { deferrable: true as const }) }]
      return known.changes[place]
    },
    learn(relayEvent: RelayEvent): void {
      if ('ofPods' in relayEvent) for (const pod of relayEvent.event.found.pods ?? []) learnPod(pod)
      if (!('changes' in relayEvent)) return
      if ('pod' in relayEvent.event) learnEvent(relayEvent.event)
      for (const change of relayEvent.changes) learnService(change)
    },
  }

  function learnEvent({ pod, isGone }: PodEvent): void {
    if (isGone) forget(pod)
    else learnPod(pod)
  }
}

const keyOf = ({ metadata: { namespace = '', name = '' } = {} }: Pod): string => `${namespace}/${name}`
