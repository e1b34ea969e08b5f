import type { EndpointSelector } from './endpoint-selector.ts'
import type { SkippedObject } from './objects/validate.ts'
import type { EndpointSource } from './sources/source.ts'
import type {
  AnyEndpointSlice,
  AnyNode,
  AnyPod,
  AnyService,
  EndpointSlice,
  Node,
  Pod,
  Service,
} from './types.ts'

/** The objects that a plan follows from, as JSON has them. */
export interface PlanState {
  readonly service: Service
  /** Pods that the Service selects. */
  readonly pods: readonly Pod[]
  /** All nodes; metadata alone is enough unless the Service asks for topology hints. */
  readonly nodes: readonly Node[]
  /** Slices with the Service's name and this managed-by value; a duplicate stays in the first of them. */
  readonly slices: readonly EndpointSlice[]
  /** Source of the endpoints instead of `pods`, which are then ignored. */
  readonly source?: EndpointSource | undefined
}

/** The same, in JSON or as client-node answers it. The plan has slices of the kind given. */
export interface AnyPlanState<Slice extends AnyEndpointSlice> extends Pick<PlanState, 'source'> {
  readonly service: AnyService
  readonly pods: readonly AnyPod[]
  readonly nodes: readonly AnyNode[]
  readonly slices: readonly Slice[]
}

/** The same, of an EndpointSelector in place of a Service; the Pods are those that it selects. */
export interface SelectorPlanState<Slice extends AnyEndpointSlice>
  extends Omit<AnyPlanState<Slice>, 'service'> {
  readonly endpointSelector: EndpointSelector
}

/** An event to be recorded on the Service. */
export interface PlanEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: 'TopologyAwareHintsEnabled' | 'TopologyAwareHintsDisabled'
  readonly message: string
}

/** Counts over all address types. */
export interface PlanStats {
  readonly endpointsDesired: number
  readonly endpointsAdded: number
  readonly endpointsRemoved: number
  /** The slices that there will be once the plan is applied. */
  readonly slicesActual: number
  /** The fewest slices that could hold the endpoints. */
  readonly slicesDesired: number
}

/** A plan of writes. Objects to create and update share nothing with the input: callers may change them. */
export interface SlicePlan<Slice = EndpointSlice> {
  readonly create: Slice[]
  /** Whole objects, with the resourceVersion that was read. */
  readonly update: Slice[]
  /** Slices to delete, as they were read. */
  readonly delete: Slice[]
  readonly events: PlanEvent[]
  readonly skipped: SkippedObject[]
  readonly stats: PlanStats
}

/** Slices of a plan that was given those of `Slice`: none at all (`[]`) say nothing of their kind. */
export type PlannedSlice<Slice> = [Slice] extends [never] ? EndpointSlice : Slice

/**
 * Joins plans of different slices, such as those of several sources of one Service (`PlanOptions.labels`).
 * Without plans it has nothing to write.
 * @example
 * ```ts
 * const service = {
 *   metadata: { name: 'db', namespace: 'shop', uid: 'u1' },
 *   spec: { clusterIP: '10.96.0.7' },
 * }
 * const state = { service, pods: [], nodes: [], slices: [] }
 * const eu = plan({ ...state, source: addressSource(['192.0.2.7']) }, { labels: { from: 'eu' } })
 * const us = plan({ ...state, source: addressSource(['192.0.2.8']) }, { labels: { from: 'us' } })
 * joinPlans([eu, us]).create.length // => 2
 * ```
 */
export function joinPlans<Slice = EndpointSlice>(plans: readonly SlicePlan<Slice>[]): SlicePlan<Slice> {
  return {
    create: plans.flatMap(({ create }) => create),
    update: plans.flatMap(({ update }) => update),
    delete: plans.flatMap((planned) => planned.delete),
    events: plans.flatMap(({ events }) => events),
    skipped: plans.flatMap(({ skipped }) => skipped),
    stats: plans.map(({ stats }) => stats).reduce(addStats, NO_STATS),
  }
}

export const NO_STATS: PlanStats = {
  endpointsDesired: 0,
  endpointsAdded: 0,
  endpointsRemoved: 0,
  slicesActual: 0,
  slicesDesired: 0,
}

export const addStats = (a: PlanStats, b: PlanStats): PlanStats => ({
  endpointsDesired: a.endpointsDesired + b.endpointsDesired,
  endpointsAdded: a.endpointsAdded + b.endpointsAdded,
  endpointsRemoved: a.endpointsRemoved + b.endpointsRemoved,
  slicesActual: a.slicesActual + b.slicesActual,
  slicesDesired: a.slicesDesired + b.slicesDesired,
})
