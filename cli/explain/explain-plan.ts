import {
  ANNOTATION_RELEASE,
  ignoredAnnotations,
  ignoredReason,
  type Selection,
  withControls,
} from '../../shared/changes/index.ts'
import {
  type EndpointSlice,
  type Explanation,
  explain,
  type ObjectMeta,
  type SelectedPods,
  type Service,
  type SlicePlan,
} from '../../shared/endpointslice/index.ts'
import {
  createAddressFilter,
  type EndpointPart,
  fightEvent,
  type GuardsSettings,
  guardPlan,
  heldSince,
  isRead,
  mapParts,
  planService,
} from '../../shared/reconciler/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import { managerOf } from './managers.ts'

export type ExplainSettings = Pick<Settings, 'managedBy' | 'maxEndpointsPerSlice' | 'packing'> &
  Omit<GuardsSettings, 'unreachableCluster' | 'unreachableClusterExpiry'>

/** A Service with a controller of its slices, and all slices that name it. */
export interface PlannedService {
  readonly service: Service
  readonly selection: Selection & { kind: 'managed' | 'sourced' }
  readonly slices: readonly EndpointSlice[]
  readonly plannedFor: string
}

type ExplainedPlan = Explanation & Writes

export interface Writes {
  /** Part of the plan that would be written now; nothing of another manager's. */
  readonly writes: Pick<SlicePlan, 'create' | 'update' | 'delete'>
  /** Reasons why other parts of the plan are not written. */
  readonly warnings: readonly string[]
}

/** Plans as a reconcile: refuse addresses, plan, guard. Another manager's slices are planned as they are. */
export function explainPlan(
  planned: PlannedService,
  read: readonly EndpointPart[],
  settings: ExplainSettings,
  now: number,
): ExplainedPlan {
  const { service, slices, plannedFor } = planned
  const isOurs = plannedFor === settings.managedBy
  const addresses = createAddressFilter(isOurs ? settings.refusedAddresses : 'none')
  const parts = mapParts(read, addresses.filter)
  const [first] = parts.filter(isRead)
  const selected = read
    .filter(isRead)
    .flatMap(({ endpoints }) => endpoints.selected ?? [])
    .map((some) => filtered(addresses, some))
  const explained = explain(
    {
      service,
      slices,
      pods: [],
      nodes: [],
      ...first?.endpoints,
      selected: selected.length > 0 ? selected : undefined,
    },
    {
      managedBy: plannedFor,
      maxEndpointsPerSlice: settings.maxEndpointsPerSlice,
      packing: withControls(service, settings).packing,
      planWith: (state) =>
        planService({
          service,
          slices: state.slices,
          parts,
          settings: { ...settings, managedBy: plannedFor },
          triggerTime: undefined,
          takenNames: namesOfOthers(planned),
        }),
    },
  )
  if (!isOurs) return { ...explained, writes: { create: [], update: [], delete: [] }, warnings: [] }
  const ours = slices.filter((slice) => managerOf(slice) === plannedFor)
  return { ...explained, ...guardedWrites({ service, slices: ours, planned: explained.plan }, settings, now) }
}

/** Returns what of a plan would be written now. @param now in milliseconds since the epoch */
export function guardedWrites(
  plan: Pick<Parameters<typeof guardPlan>[0], 'service' | 'slices' | 'planned'>,
  settings: ExplainSettings,
  now: number,
): Writes {
  // Each endpoint says itself that its address is refused.
  const planned = { ...plan.planned, skipped: [] }
  const guarded = guardPlan({ ...plan, planned, losses: undefined, now }, settings)
  const { findings, fights, changes } = guarded
  const events = [...findings.flatMap((finding) => finding.events), ...fights.map(fightEvent)]
  const elsewhere = heldElsewhere(plan.slices, plan.service.metadata, settings, now)
  // What is not so yet, such as the end of a hold, is a Normal one.
  const messages = events.filter(({ type }) => type === 'Warning').map(({ message }) => message)
  const ignored = ignoredAnnotations(plan.service).map(ignoredReason)
  return {
    writes: changes,
    warnings: [...ignored, ...messages, ...(elsewhere === undefined ? [] : [elsewhere])],
  }
}

/** Returns the pods without the refused addresses, and those addresses. */
function filtered(addresses: ReturnType<typeof createAddressFilter>, selected: SelectedPods): SelectedPods {
  const { pods, skipped } = addresses.filter({ pods: selected.pods, nodes: [], skipped: [] })
  return { ...selected, pods, refused: [...(selected.refused ?? []), ...skipped] }
}

/** Names of this Service's slices of other managers. Names of other Services show once one is refused. */
const namesOfOthers = ({ slices, plannedFor }: PlannedService): ReadonlySet<string> =>
  new Set(
    slices.filter((slice) => managerOf(slice) !== plannedFor).map(({ metadata }) => metadata?.name ?? ''),
  )

/**
 * Says that slices have the note of a hold, although the given settings hold nothing: they are not those that
 * Sliceflow runs with.
 * @param owner metadata of the Service or the ServiceImport, which a release is written on
 * @param now in milliseconds since the epoch
 */
export function heldElsewhere(
  slices: readonly EndpointSlice[],
  owner: ObjectMeta | undefined,
  settings: Pick<Settings, 'maximumRemoval'>,
  now: number,
): string | undefined {
  const { maximumRemoval } = withControls({ ...(owner && { metadata: owner }) }, settings)
  const since = maximumRemoval < 1 ? undefined : heldSince(slices, now)
  if (since === undefined || owner?.annotations?.[ANNOTATION_RELEASE] === since) return undefined
  return `the slices say that a plan is held since ${since}, and these settings hold none: give those that Sliceflow runs with, such as --maximum-removal`
}
