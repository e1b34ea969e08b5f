import type { Change } from '../../changes/index.ts'
import type { Node, Pod, Service } from '../../endpointslice/index.ts'

interface AtMoment {
  /** Milliseconds since the start. */
  readonly atMs: number
}

/** A Pod event at a point in time, as an informer gets it. */
export interface PodEvent extends AtMoment {
  readonly pod: Pod
  /** Whether it is deleted. Default: it is new or changed. */
  readonly isGone?: true
}

/** A Service event at a point in time, as an informer gets it. */
export interface ServiceEvent extends AtMoment {
  readonly service: Service
  /** Whether it is deleted. Default: it is new or changed. */
  readonly isGone?: true
}

/** Objects that turn out to have existed before: publishing them is not a change. */
export interface FoundEvent extends AtMoment {
  readonly found: Partial<Found>
}

export interface Found {
  readonly services: readonly Service[]
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
}

/**
 * Steps of a sync that take time:
 * - `sending`: from a change that did not wait until its message was sent;
 * - `single`: from then until the response to the only write of a hinted sync;
 * - `several`: from then until the response to the first of its writes, and from that to the last;
 * - `wholeSingle`, `wholeSeveral`: the same of a full sync;
 * - `seeing`: from the response to the first write until the relay's watch delivered it; negative if the
 *   watch was faster.
 */
export const SYNC_STEPS = ['sending', 'single', 'several', 'wholeSingle', 'wholeSeveral', 'seeing'] as const

/** The duration of a step in a recording, from which later durations are drawn. */
export interface SyncEvent extends AtMoment {
  readonly sync: {
    readonly step: (typeof SYNC_STEPS)[number]
    /** Milliseconds. */
    readonly ms: number
    /** Milliseconds of `several` and `wholeSeveral` from the first write to the last. Default: 0. */
    readonly spreadMs?: number
  }
}

/** Some of a workload's events. */
export type Events = Iterable<WorkloadEvent>

export type WorkloadEvent = PodEvent | ServiceEvent | FoundEvent | SyncEvent

/** An event, and what the relay's index sees of Services in it. */
export type RelayEvent =
  | { readonly event: PodEvent | ServiceEvent; readonly changes: readonly Change[] }
  | {
      readonly event: FoundEvent
      /** The Services that each of the Pods found is an endpoint of. */
      readonly ofPods: readonly (readonly Change[])[]
    }
  | { readonly event: SyncEvent }

/** Initial objects with all Pods ready, and the events that follow; generated alike for the same seed. */
export interface Workload extends Found {
  /** Yields events in order of time, in batches: iterating over single ones takes as long as an event. */
  events(): Iterable<Events> | AsyncIterable<Events>
  /** Whether slices are written as Sliceflow does; see {@link PolicyContext.isSealed}. */
  readonly isSealed?: true
  /** Whether simultaneous events come together, as in a chunk of a watch. Default: one after the other. */
  readonly areMomentsOne?: true
  /** Number of events, if known: for progress. */
  readonly count?: number
  /** Replaces its events if the index has them already. Default: the player passes them to the index. */
  relayEvents?(): AsyncIterable<readonly RelayEvent[]>
}
