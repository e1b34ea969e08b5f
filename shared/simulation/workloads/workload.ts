import type { Node, Pod, Service } from '../../endpointslice/index.ts'

/** What an informer of Pods is told at a moment. */
export interface PodEvent {
  /** Milliseconds since the begin. */
  readonly atMs: number
  readonly pod: Pod
  /** It is deleted; default: it is new or changed. */
  readonly isGone?: true
}

/** Services with their Pods, and what happens to these. A generated one is the same for the same seed. */
export interface Workload {
  readonly services: readonly Service[]
  readonly nodes: readonly Node[]
  /** The Pods that are there at the begin. */
  readonly pods: readonly Pod[]
  /** In order of their time; each call begins anew. */
  events(): Iterable<PodEvent> | AsyncIterable<PodEvent>
  /** How many events come, where that is known: for progress. */
  readonly count?: number
}
