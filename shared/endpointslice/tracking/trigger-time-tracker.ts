import type { Timestamp } from '../objects/timestamps.ts'
import type { AnyPod, AnyService } from '../types.ts'

/** Times of a Service as its last sync saw them, in milliseconds since the epoch. */
interface SyncInputs {
  readonly service: number
  readonly pods: ReadonlyMap<string, number>
}

/** No time at all, before any other. */
const NEVER = Number.NEGATIVE_INFINITY

/**
 * Finds the time of the change that a sync answers, for the option `triggerTime` of plan(): how long a change
 * took to reach the slices is measured from it (the SLI "network programming latency"). The rules are those
 * of k8s.io/endpointslice's TriggerTimeTracker:
 * 1. At the first sync of a Service, its creation.
 * 2. Afterwards the earliest of the Ready transitions and the creation that are later than at the last sync.
 *
 * Call it once a sync of a Service, not concurrently. It remembers one time a pod until forget(). Known
 * weakness: of several changes of one pod between two syncs only the last counts.
 * @example
 * ```ts
 * const times = new TriggerTimeTracker()
 * const creationTimestamp = '2026-01-01T00:00:00Z'
 * const service = { metadata: { name: 'web', namespace: 'shop', creationTimestamp } }
 * times.next(service, []) // => '2026-01-01T00:00:00.000Z'
 * times.next(service, []) // => undefined
 * ```
 */
export class TriggerTimeTracker {
  readonly #inputs = new Map<string, SyncInputs>()

  /** @returns RFC 3339, or `undefined` when nothing that has a time has changed */
  next(service: AnyService, pods: readonly AnyPod[]): string | undefined {
    const key = keyOf(service)
    const before = this.#inputs.get(key)
    const creation = timeOf(service.metadata?.creationTimestamp)
    const times = new Map<string, number>()
    let earliest = creation > (before?.service ?? NEVER) ? creation : Number.POSITIVE_INFINITY
    for (const pod of pods) {
      const time = readyTransition(pod)
      const name = pod.metadata?.name ?? ''
      times.set(name, time)
      if (time > (before?.pods.get(name) ?? NEVER)) earliest = Math.min(earliest, time)
    }
    this.#inputs.set(key, { service: creation, pods: times })
    return textOf(before === undefined ? creation : earliest)
  }

  /** Forgets a Service; to be called when it is gone. */
  forget(service: { readonly metadata?: Names }): void {
    this.#inputs.delete(keyOf(service))
  }
}

interface Names {
  readonly namespace?: string
  readonly name?: string
}

const keyOf = ({ metadata }: { readonly metadata?: Names | undefined }): string =>
  `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`

function timeOf(timestamp: Timestamp | undefined): number {
  const text = typeof timestamp === 'string' ? timestamp : ''
  const time = timestamp instanceof Date ? timestamp.getTime() : Date.parse(text)
  return Number.isNaN(time) ? NEVER : time
}

const readyTransition = ({ status }: AnyPod): number =>
  timeOf(status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime)

const textOf = (time: number): string | undefined =>
  Number.isFinite(time) ? new Date(time).toISOString() : undefined
