import type { Node, Pod, Service } from '../../endpointslice/index.ts'

interface TimedEvent {
  /** Milliseconds since the begin. */
  readonly atMs: number
}

/** What an informer of Pods is told at a moment. */
export interface PodEvent extends TimedEvent {
  readonly pod: Pod
  /** It is deleted; default: it is new or changed. */
  readonly isGone?: true
}

/** What an informer of Services is told at a moment. */
export interface ServiceEvent extends TimedEvent {
  readonly service: Service
  /** It is deleted; default: it is new or changed. */
  readonly isGone?: true
}

/** Objects that were there before, as it turns out: they are published, and are no change. */
export interface FoundEvent extends TimedEvent {
  readonly found: Partial<Found>
}

export interface Found {
  readonly services: readonly Service[]
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
}

export type WorkloadEvent = PodEvent | ServiceEvent | FoundEvent

/**
 * What is there at the begin, all Pods of it ready, and what happens then. A generated one is the same for
 * the same seed.
 */
export interface Workload extends Found {
  /** In order of their time; each call begins anew. */
  events(): Iterable<WorkloadEvent> | AsyncIterable<WorkloadEvent>
  /** Slices are written as Sliceflow does; see {@link PolicyContext.isSealed}. */
  readonly isSealed?: true
  /**
   * Events of one moment are told together, as a watch tells what comes in one piece; default: one after the
   * other.
   */
  readonly areMomentsOne?: true
  /** How many events come, where that is known: for progress. */
  readonly count?: number
  /**
   * Draws how long it takes from the sending of a message until what it leads to is seen written, in
   * milliseconds, as far as the events so far tell; default: as {@link SimulationOptions.lookMs} says.
   * @param share 0 to below 1, by chance
   */
  readonly lookMs?: (share: number) => number | undefined
}
