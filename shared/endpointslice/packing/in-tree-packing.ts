import type { PodIndex } from '../endpoints/pod-index.ts'
import type { PortSet } from '../endpoints/ports.ts'
import { endpointOf, isUpToDate, type PublishedPod } from '../endpoints/published-pods.ts'
import { copyJson } from '../objects/copy.ts'
import type { Named } from '../objects/validate.ts'
import { type Draft, type Drafts, draftOf, newDraft } from '../slices/drafts.ts'
import type { SliceMetadata } from '../slices/slice-metadata.ts'
import type { AddressType, Endpoint, EndpointSlice } from '../types.ts'
import { type PackingPolicy, upstreamPacking } from './index.ts'
import { mergeSlices } from './merge.ts'

/** The pods and slices of one address type and port set. */
interface PortSetGroup {
  readonly addressType: AddressType
  readonly portSet: PortSet
  /** Pods that have no place yet. */
  readonly pods: PodIndex
  readonly slices: readonly Named<EndpointSlice>[]
}

interface PackSettings {
  readonly maxEndpointsPerSlice: number
  readonly metadata: SliceMetadata
  readonly policy: PackingPolicy
  /** Returns whether an endpoint is planned, if only a part is; all others stay as they are. Default: all. */
  readonly isPlanned: ((endpoint: Endpoint) => boolean) | undefined
}

interface PackCounts {
  readonly added: number
  readonly removed: number
}

/**
 * Places the pods of a group on its slices with few writes, as the in-tree controller does:
 * 1. Endpoints stay in the slice they are in; what is no longer wanted goes, and a slice that becomes empty
 *    goes too.
 * 2. New endpoints fill the slices that are written anyway, fullest first.
 * 3. The rest goes into the one kept slice that it fills best; or, where there is none, into new slices.
 * 4. The packing policy may then merge slices; upstream's does not.
 */
export function packGroup(group: PortSetGroup, settings: PackSettings, drafts: Drafts): PackCounts {
  const placed: Drafts = { create: [], update: [], keep: [], remove: [] }
  let removed = 0
  for (const slice of group.slices) {
    const { staying, changed } = takeStaying(slice, group, settings)
    removed += (slice.endpoints?.length ?? 0) - staying.length
    if (changed && staying.length === 0) placed.remove.push(slice)
    else if (changed) placed.update.push(rebuilt(slice, staying, group.addressType))
    else if (settings.metadata.isOutdated(slice)) placed.update.push(draftOf(slice, true))
    else placed.keep.push(slice)
  }
  const added = group.pods.size
  if (added > 0) {
    const queue = group.pods.rest()
    fillUpdates(placed.update, queue, group, settings)
    while (queue.length > 0) placeRest(queue, group, placed, settings)
  }
  if (settings.policy !== upstreamPacking) mergeSlices(placed, settings.policy, settings.maxEndpointsPerSlice)
  drafts.create.push(...placed.create)
  drafts.update.push(...placed.update)
  drafts.keep.push(...placed.keep)
  drafts.remove.push(...placed.remove)
  return { added, removed }
}

/** A pod with an endpoint in the slice; or an endpoint that is not planned and stays as it is. */
type Staying = { readonly pod: PublishedPod } | { readonly kept: Endpoint }

/** Takes the pods whose endpoint is in the slice out of the group (step 1). */
function takeStaying(
  { endpoints }: EndpointSlice,
  { pods }: PortSetGroup,
  { isPlanned }: PackSettings,
): { staying: Staying[]; changed: boolean } {
  const staying: Staying[] = []
  let upToDate = true
  for (const endpoint of endpoints ?? []) {
    if (isPlanned !== undefined && !isPlanned(endpoint)) {
      staying.push({ kept: endpoint })
      continue
    }
    const pod = pods.take(endpoint)
    if (pod === undefined) continue
    staying.push({ pod })
    upToDate &&= isUpToDate(endpoint, pod)
  }
  return { staying, changed: !upToDate || staying.length !== (endpoints?.length ?? 0) }
}

function rebuilt(origin: Named<EndpointSlice>, staying: readonly Staying[], addressType: AddressType): Draft {
  const endpoints = staying.map((one) =>
    'pod' in one ? endpointOf(one.pod, addressType) : copyJson(one.kept),
  )
  return { origin, ports: origin.ports ?? [], endpoints, relabel: true }
}

/** Fills slices that are written anyway (step 2). */
function fillUpdates(
  updates: readonly Draft[],
  queue: PublishedPod[],
  { addressType }: PortSetGroup,
  { maxEndpointsPerSlice }: PackSettings,
): void {
  for (const draft of updates.toSorted((a, b) => b.endpoints.length - a.endpoints.length)) {
    fill(draft, queue, addressType, maxEndpointsPerSlice)
  }
}

/** Fills one slice with the rest (step 3). */
function placeRest(
  queue: PublishedPod[],
  group: PortSetGroup,
  { create, update, keep }: Drafts,
  { maxEndpointsPerSlice: max }: PackSettings,
): void {
  const best = queue.length < max ? bestFit(keep, queue.length, max) : -1
  const [slice] = best < 0 ? [] : keep.splice(best, 1)
  const draft = slice === undefined ? newDraft(group.portSet.ports) : draftOf(slice, false)
  if (slice === undefined) create.push(draft)
  else update.push(draft)
  fill(draft, queue, group.addressType, max)
}

/** Finds the index of the slice that `count` more endpoints fill best, or -1 if they have room in none. */
function bestFit(slices: readonly EndpointSlice[], count: number, max: number): number {
  let best = -1
  let most = -1
  for (const [index, { endpoints }] of slices.entries()) {
    const size = endpoints?.length ?? 0
    if (size + count <= max && size > most) {
      best = index
      most = size
    }
  }
  return best
}

function fill(draft: Draft, queue: PublishedPod[], addressType: AddressType, max: number): void {
  const room = Math.max(0, max - draft.endpoints.length)
  for (const pod of queue.splice(0, room)) draft.endpoints.push(endpointOf(pod, addressType))
}
