import { type Change, keyText, type ServiceKey } from '../../changes/index.ts'
import type { Pod } from '../../endpointslice/index.ts'
import { LOOK_STEPS, type PodEvent, podInState, stateOf, type Told } from '../workloads/index.ts'

/**
 * Events in the form in which one thread gives them to another. Most events give another state to a Pod that
 * both know, and concern one Service: numbers say that, a row in each column. All else is copied as it is,
 * which takes twenty times as long.
 */
export interface ToldBatch {
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
  readonly others: readonly Told[]
}

/** A row is one of these three kinds. */
const [STATE, LOOK, OTHER] = [1, 2, 4]
/** Flags of a Pod, and of its change. */
const [READY, TERMINATING, PATIENT] = [8, 16, 32]

/** Lists the buffers of a batch that may go from one thread to the other without being copied. */
export const buffersOf = ({ kinds, times, versions, pods, services }: ToldBatch): ArrayBufferLike[] =>
  [kinds, times, versions, pods, services].map(({ buffer }) => buffer)

/** Puts what is told into numbers; each batch must be read in its turn by one {@link createToldReader}. */
export function createToldWriter(): (batch: readonly Told[]) => ToldBatch {
  const known = createKnown()

  /** @returns false where the row cannot tell it */
  function writeState(batch: ToldBatch, row: number, told: Told): boolean {
    const change = onlyChange(told)
    if (change === undefined) return false
    const { pod, atMs, of } = change
    const number = known.numberOf(pod)
    const service = known.numberOfService(keyText(of))
    if (number === undefined || service === undefined) return false
    if (known.pod(number)?.spec !== pod.spec) return false
    const { version, isReady, isTerminating } = stateOf(pod)
    batch.kinds[row] =
      STATE | (isReady ? READY : 0) | (isTerminating ? TERMINATING : 0) | (of.patient ? PATIENT : 0)
    batch.times[row] = atMs
    batch.versions[row] = version
    batch.pods[row] = number
    batch.services[row] = service
    return true
  }

  return (told) => {
    const others: Told[] = []
    const batch = { ...columns(told.length), others }
    for (const [row, one] of told.entries()) {
      if (!('changes' in one || 'ofPods' in one)) {
        const { step, ms, spreadMs = 0 } = one.event.look
        batch.kinds[row] = LOOK
        batch.times[row] = one.event.atMs
        batch.versions[row] = ms
        batch.pods[row] = LOOK_STEPS.indexOf(step)
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

/** Returns the change of a Pod where it concerns one Service and is told as of nearly all Pods. */
function onlyChange(told: Told): { pod: Pod; atMs: number; of: Change } | undefined {
  if (!('changes' in told && 'pod' in told.event) || told.event.isGone) return undefined
  const { pod, atMs } = told.event
  const [of, ...others] = told.changes
  if (of === undefined || others.length > 0 || of.triggerTime !== undefined) return undefined
  const isOfPod = of.pods?.length === 1 && of.pods[0] === pod.metadata?.name
  return isOfPod && of.resourceVersion === pod.metadata?.resourceVersion ? { pod, atMs, of } : undefined
}

export function createToldReader(): (batch: ToldBatch) => Told[] {
  const known = createKnown()

  function readState({ times, versions, pods, services }: ToldBatch, row: number, kind: number): Told {
    const number = pods[row] ?? 0
    const state = {
      version: versions[row] ?? 0,
      isReady: (kind & READY) !== 0,
      isTerminating: (kind & TERMINATING) !== 0,
    }
    const pod = podInState(known.pod(number) ?? {}, state)
    known.set(number, pod)
    const change: Change = {
      ...known.service(services[row] ?? 0),
      resourceVersion: String(state.version),
      pods: [pod.metadata?.name ?? ''],
      ...((kind & PATIENT) !== 0 && { patient: true as const }),
    }
    return { event: { atMs: times[row] ?? 0, pod }, changes: [change] }
  }

  return (batch) => {
    const others = batch.others.values()
    return Array.from(batch.kinds, (kind, row): Told => {
      if (kind & STATE) return readState(batch, row, kind)
      if (kind & LOOK) return readStep(batch, row)
      const other = others.next().value
      if (other === undefined) throw new Error('the batch has fewer rows than it says')
      known.learn(other)
      return other
    })
  }
}

function readStep({ times, versions, pods, services }: ToldBatch, row: number): Told {
  const step = LOOK_STEPS[pods[row] ?? 0] ?? 'single'
  const [atMs = 0, ms = 0, spreadMs = 0] = [times[row], versions[row], services[row]]
  return { event: { atMs, look: { step, ms, ...(step === 'several' && { spreadMs }) } } }
}

const columns = (rows: number): Omit<ToldBatch, 'others'> => ({
  kinds: new Uint8Array(rows),
  times: new Float64Array(rows),
  versions: new Float64Array(rows),
  pods: new Uint32Array(rows),
  services: new Uint32Array(rows),
})

/** Creates the numbers of Pods and Services, which both sides give to them by what was copied. */
function createKnown() {
  const numbers = new Map<string, number>()
  const pods = new Map<number, Pod>()
  const services: ServiceKey[] = []
  const serviceNumbers = new Map<string, number>()
  let count = 0

  function learnPod(pod: Pod): void {
    const key = keyOf(pod)
    const number = numbers.get(key) ?? count++
    numbers.set(key, number)
    pods.set(number, pod)
  }

  function forget(pod: Pod): void {
    const key = keyOf(pod)
    pods.delete(numbers.get(key) ?? -1)
    numbers.delete(key)
  }

  return {
    numberOf: (pod: Pod) => numbers.get(keyOf(pod)),
    pod: (number: number) => pods.get(number),
    set: (number: number, pod: Pod) => pods.set(number, pod),
    numberOfService: (key: string) => serviceNumbers.get(key),
    /** @throws Error for a number that was not given */
    service(number: number): ServiceKey {
      const service = services[number]
      if (service === undefined) throw new Error(`no Service has the number ${number}`)
      return service
    },
    learn(told: Told): void {
      if ('ofPods' in told) for (const pod of told.event.found.pods ?? []) learnPod(pod)
      if (!('changes' in told)) return
      if ('pod' in told.event) learnEvent(told.event)
      for (const { cluster, namespace, service } of told.changes) {
        const key = keyText({ cluster, namespace, service })
        if (serviceNumbers.has(key)) continue
        serviceNumbers.set(key, services.push({ cluster, namespace, service }) - 1)
      }
    },
  }

  function learnEvent({ pod, isGone }: PodEvent): void {
    if (isGone) forget(pod)
    else learnPod(pod)
  }
}

const keyOf = ({ metadata: { namespace = '', name = '' } = {} }: Pod): string => `${namespace}/${name}`
