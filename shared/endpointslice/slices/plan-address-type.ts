import { PodIndex } from '../endpoints/pod-index.ts'
import { type PortSet, portSetKey } from '../endpoints/ports.ts'
import type { PublishedPods } from '../endpoints/published-pods.ts'
import { ownerOfKind } from '../find-owner.ts'
import { isBeingDeleted } from '../objects/timestamps.ts'
import type { Named } from '../objects/validate.ts'
import type { PlanSettings } from '../options.ts'
import { packGroup } from '../packing/in-tree-packing.ts'
import { upstreamPacking } from '../packing/index.ts'
import type { PlanEvent, PlanStats } from '../slice-plan.ts'
import { reconcileHints } from '../topology-hints/traffic-distribution.ts'
import type { ZoneCpu } from '../topology-hints/zone-cpu.ts'
import type { AddressType, Endpoint, EndpointSlice, ObjectMeta, Service } from '../types.ts'
import { type Draft, type Drafts, newDraft } from './drafts.ts'
import { isPlaceholder } from './placeholder.ts'
import type { SliceMetadata } from './slice-metadata.ts'
import type { SliceNames } from './slice-names.ts'

/** Inputs that the plans of a Service's address types share. */
export interface PlanContext {
  readonly service: Named<Service>
  readonly settings: PlanSettings
  readonly slices: readonly Named<EndpointSlice>[]
  readonly published: PublishedPods
  readonly metadata: SliceMetadata
  readonly names: SliceNames
  readonly zoneCpu: () => ZoneCpu | undefined
  readonly hadHints: () => boolean
}

export interface AddressTypePlan {
  readonly create: EndpointSlice[]
  readonly update: EndpointSlice[]
  readonly delete: EndpointSlice[]
  readonly events: PlanEvent[]
  readonly stats: PlanStats
}

/** Plans one address type; the steps are those of plan(). */
export function planAddressType(addressType: AddressType, context: PlanContext): AddressTypePlan {
  const drafts: Drafts = { create: [], update: [], keep: [], remove: [] }
  const owned: Named<EndpointSlice>[] = []
  for (const slice of context.slices) {
    if (slice.addressType !== addressType) continue
    if (context.metadata.owns(slice)) owned.push(slice)
    else drafts.remove.push(slice)
  }
  const counts = packAll(addressType, owned, drafts, context)
  const { keepsPlaceholder } = ownerOfKind(context.service.kind).rules
  if (keepsPlaceholder && context.settings.onlyPods === undefined) keepPlaceholder(drafts, context.metadata)
  // Hints are dealt out slice by slice, in the order in which the slices were given (unchangedSlices
  // upstream).
  const unchanged = new Set(drafts.keep)
  drafts.keep = context.slices.filter((slice) => unchanged.has(slice))
  const events = reconcileHints(drafts, { ...context, addressType })
  const slicesActual = drafts.create.length + drafts.update.length + drafts.keep.length
  return { ...writesOf(addressType, drafts, context), events, stats: { ...counts, slicesActual } }
}

/** Packs the pods into slices (step 2). */
function packAll(
  addressType: AddressType,
  slices: readonly Named<EndpointSlice>[],
  drafts: Drafts,
  { published, settings, metadata, service }: PlanContext,
): Omit<PlanStats, 'slicesActual'> {
  const { maxEndpointsPerSlice, onlyPods } = settings
  // What a merge puts into a new slice would be lost: a Service that is being deleted gets none.
  const policy = isDeleted(service) ? upstreamPacking : settings.policy
  const namespace = service.metadata.namespace ?? ''
  const isPlanned = onlyPods && ((endpoint: Endpoint) => isOfPod(endpoint, namespace, onlyPods))
  const packSettings = { maxEndpointsPerSlice, metadata, policy, isPlanned }
  const groups = groupPods(addressType, published, namespace)
  const slicesByPorts = Map.groupBy(slices, ({ ports }) => portSetKey(ports ?? []))
  const stats = { endpointsDesired: 0, endpointsAdded: 0, endpointsRemoved: 0, slicesDesired: 0 }
  for (const { portSet, pods } of groups) {
    stats.endpointsDesired += pods.size
    stats.slicesDesired += Math.ceil(pods.size / maxEndpointsPerSlice)
    const group = { addressType, portSet, pods, slices: slicesByPorts.get(portSet.key) ?? [] }
    const { added, removed } = packGroup(group, packSettings, drafts)
    stats.endpointsAdded += added
    stats.endpointsRemoved += removed
    slicesByPorts.delete(portSet.key)
  }
  for (const unwanted of slicesByPorts.values()) {
    if (onlyPods === undefined || isReplacedPlaceholder(unwanted, drafts)) {
      drafts.remove.push(...unwanted)
      for (const { endpoints } of unwanted) stats.endpointsRemoved += endpoints?.length ?? 0
    } else {
      const ports = unwanted[0]?.ports ?? []
      const pods = new PodIndex(addressType, namespace)
      const group = { addressType, portSet: { key: portSetKey(ports), ports }, pods, slices: unwanted }
      stats.endpointsRemoved += packGroup(group, packSettings, drafts).removed
    }
  }
  return stats
}

/** Reports whether a new slice takes the place of a placeholder. */
const isReplacedPlaceholder = (unwanted: readonly EndpointSlice[], { create }: Drafts): boolean =>
  create.length > 0 && unwanted.every(isPlaceholder)

/** Reports whether the endpoint is of one of the Pods, whatever its uid. */
function isOfPod({ targetRef }: Endpoint, serviceNamespace: string, names: ReadonlySet<string>): boolean {
  const { kind, namespace = serviceNamespace, name = '' } = targetRef ?? {}
  return kind === 'Pod' && namespace === serviceNamespace && names.has(name)
}

/** Groups pods with an address of this type by port set, in an order that theirs does not change. */
function groupPods(
  addressType: AddressType,
  { pods, portSets }: PublishedPods,
  namespace: string,
): { portSet: PortSet; pods: PodIndex }[] {
  const inOrder = portSets.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const groups = inOrder.map((portSet) => ({ portSet, pods: new PodIndex(addressType, namespace) }))
  const byPorts = new Map(groups.map((group) => [group.portSet, group.pods]))
  for (const pod of pods) {
    if (pod.addresses[addressType].length > 0) byPorts.get(pod.portSet)?.add(pod)
  }
  return groups
}

/**
 * Plans a placeholder if there is no slice (step 3). An existing placeholder with our labels stays. Its owner
 * does not matter: if that is gone, the garbage collector removes the slice and a new one follows.
 */
function keepPlaceholder(drafts: Drafts, metadata: SliceMetadata): void {
  if (drafts.create.length + drafts.update.length + drafts.keep.length > 0) return
  const [slice, ...others] = drafts.remove
  if (slice === undefined || others.length > 0 || !isPlaceholder(slice) || !metadata.hasLabelsOfNew(slice)) {
    drafts.create.push(newDraft([]))
    return
  }
  drafts.remove = []
  drafts.keep.push(slice)
}

/** Turns the drafts into objects to write (step 5). */
function writesOf(
  addressType: AddressType,
  drafts: Drafts,
  { service, metadata, names }: PlanContext,
): Pick<AddressTypePlan, 'create' | 'update' | 'delete'> {
  const update = drafts.update.map((draft) => sliceOf(draft, updatedMetadata(draft, metadata), addressType))
  const create = [...drafts.create]
  const remove: EndpointSlice[] = []
  for (const slice of drafts.remove) {
    const draft = metadata.owns(slice) ? create.pop() : undefined
    if (draft === undefined) remove.push(slice)
    else update.push(sliceOf(draft, metadata.forReplacement(slice.metadata), addressType))
  }
  // The garbage collector removes the slices of a Service that is being deleted; a new one might escape it.
  const created = isDeleted(service)
    ? []
    : create.map((draft) => sliceOf(draft, metadata.forNew(), addressType))
  for (const slice of created) slice.metadata = { name: names.next(slice), ...slice.metadata }
  return { create: created, update, delete: remove }
}

const isDeleted = ({ metadata }: Named<Service>): boolean => isBeingDeleted(metadata)

function updatedMetadata({ origin, relabel }: Draft, metadata: SliceMetadata): ObjectMeta {
  return metadata.forUpdate(origin?.metadata ?? {}, relabel ? metadata.labels : undefined)
}

function sliceOf({ ports, endpoints }: Draft, metadata: ObjectMeta, addressType: AddressType): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata,
    addressType,
    endpoints,
    ports: ports.map((port) => ({ ...port })),
  }
}
