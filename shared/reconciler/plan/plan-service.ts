import { withControls } from '../../changes/index.ts'
import {
  type EndpointSlice,
  hintModeOf,
  joinPlans,
  ownerOfKind,
  plan,
  type Service,
  type SlicePlan,
} from '../../endpointslice/index.ts'
import type { Settings } from '../../settings/index.ts'
import { type EndpointPart, isRead, partSlices, type ReadPart } from '../read/endpoint-parts.ts'
import type { SyncPlan } from '../sync-result.ts'

/** The facts from which a plan for a managed Service follows. */
export interface PlanInput {
  readonly service: Service
  readonly slices: readonly EndpointSlice[]
  /** Slices of those that are unread stay as they are. */
  readonly parts: readonly EndpointPart[]
  readonly settings: Pick<Settings, 'managedBy' | 'maxEndpointsPerSlice' | 'packing'>
  /** RFC 3339: when what the plan answers happened, where it is known. */
  readonly triggerTime: string | undefined
  /** Names that slices of others have. */
  readonly takenNames: ReadonlySet<string>
}

/** Calls plan() for each cluster's part of a Service. What reading had to leave out is among the skipped. */
export function planService(input: PlanInput): SlicePlan {
  const { slices, parts } = input
  const parted = partSlices(parts, slices)
  const planned = joinPlans(parts.filter(isRead).map((part) => planPart(part, parted.of(part), input)))
  return { ...planned, delete: [...planned.delete, ...parted.gone] }
}

function planPart(
  { endpoints: { skipped: unread, ...endpoints }, labels }: ReadPart,
  slices: readonly EndpointSlice[],
  { service, settings, triggerTime, takenNames, ...input }: PlanInput,
): SlicePlan {
  const leftovers = slices.filter((slice) => isLeftover(slice, service))
  const namesInUse = new Set([...takenNames, ...input.slices.map(({ metadata }) => metadata?.name ?? '')])
  const current = slices.filter((slice) => !leftovers.includes(slice))
  const planned = plan(
    { service, slices: current, ...endpoints },
    {
      maxEndpointsPerSlice: settings.maxEndpointsPerSlice,
      managedBy: settings.managedBy,
      packing: withControls(service, settings).packing,
      triggerTime,
      namesInUse,
      comparedLabels: 'all',
      labels,
    },
  )
  return {
    ...planned,
    delete: [...planned.delete, ...leftovers],
    skipped: [...unread, ...planned.skipped],
  }
}

/**
 * Reports whether a slice is left over although plan() would leave it as it is. Like upstream, plan() leaves
 * empty slices alone. These are those of an older Service of this name, as not every control plane has a
 * garbage collector.
 */
const isLeftover = (slice: EndpointSlice, service: Service): boolean =>
  !slice.endpoints?.length && !ownerOfKind(service.kind).owns(slice, service)

/** Summarizes the plan of a part of a Service: the endpoints that come and go, not the slices. */
export function partSummary(service: Service, planned: SlicePlan): SyncPlan {
  const { endpointsAdded, endpointsRemoved } = planned.stats
  const stats = {
    endpointsDesired: endpointsAdded - endpointsRemoved,
    endpointsAdded,
    endpointsRemoved,
    slicesActual: 0,
    slicesDesired: 0,
  }
  return { ...summaryOf(service, { ...planned, stats }), isPart: true }
}

/** @param isHeld nothing of it is written */
export function summaryOf(service: Service, { stats }: SlicePlan, isHeld = false): SyncPlan {
  const mode = hintModeOf(service)
  const byDistribution = mode === 'zone' || mode === 'node'
  return {
    stats: isHeld ? { ...stats, endpointsAdded: 0, endpointsRemoved: 0 } : stats,
    topology: mode === 'topology' ? 'Auto' : 'Disabled',
    trafficDistribution: byDistribution ? (service.spec?.trafficDistribution ?? '') : '',
  }
}
