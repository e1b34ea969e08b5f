import type { Node, Pod, Service } from '../../endpointslice/index.ts'

interface AtMoment {
  /** Milliseconds since the begin. */
  readonly atMs: number
}

/** A Pod event at a point in time, as an informer gets it. */
export interface PodEvent extends AtMoment {
  readonly pod: Pod
  /** It is deleted; default: it is new or changed. */
  readonly isGone?: true
}

/** A Service event at a point in time, as an informer gets it. */
export interface ServiceEvent extends AtMoment {
  readonly service: Service
  /** It is deleted; default: it is new or changed. */
  readonly isGone?: true
}

/** Objects that were there before, as it turns out: they are published, and are no change. */
export interface FoundEvent extends AtMoment {
  readonly found: Partial<Found>
}

export interface Found {
  readonly services: readonly Service[]
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
}

/**
 * Steps of a look, and what of them takes time:
 * - `sending`: from a change that did not wait until its message was sent;
 * - `single`: from then until the answer to the only write of a look at some Pods;
 * - `several`: from then until the answer to the first of its writes, and from that to the last;
 * - `wholeSingle`, `wholeSeveral`: the same of a look at a whole Service;
 * - `seeing`: from the answer to the first write until the relay's watch delivered it; below 0 if the watch
 *   was quicker.
 */
export const SYNC_STEPS = ['sending', 'single', 'several', 'wholeSingle', 'wholeSeveral', 'seeing'] as const

/** How long a step took in a recording; further ones take as long as the latest. */
export interface SyncEvent extends AtMoment {
  readonly sync: {
    readonly step: (typeof SYNC_STEPS)[number]
    /** Milliseconds. */
    readonly ms: number
    /** Milliseconds of `several` and `wholeSeveral` from the first write to the last. Default: 0. */
    readonly spreadMs?: number
  }
}

/** A piece of a workload's events. */
export type Events = Iterable<WorkloadEvent>

export type WorkloadEvent = PodEvent | ServiceEvent | FoundEvent | SyncEvent

/**
 * Objects that are there at the begin, all of their Pods ready, and what happens then. A generated workload
 * is the same for the same seed.
 */
export interface Workload extends Found {
  /** Lists events in order of their time, in pieces: an iteration for each takes as long as an event. */
  events(): Iterable<Events> | AsyncIterable<Events>
  /** Slices are written as Sliceflow does; see {@link PolicyContext.isSealed}. */
  readonly isSealed?: true
  /**
   * Simultaneous events are delivered together, as from one chunk of a watch; default: one after the
   * other.
   */
  readonly areMomentsOne?: true
  /** Number of events, where it is known: for progress. */
  readonly count?: number
}
