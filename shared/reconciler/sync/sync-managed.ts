import { ANNOTATION_CLUSTER, isVerifiable, podsWritten } from '../../changes/index.ts'
import { type ApplyResult, foreignPodSource, hintModeOf, type SlicePlan } from '../../endpointslice/index.ts'
import { KubernetesError } from '../../kubernetes/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import { policyFor, unreachableEvent, unverified } from '../guards/unreachable.ts'
import { planService } from '../plan/plan-service.ts'
import {
  type EndpointPart,
  isRead,
  isUnread,
  mapParts,
  type PodsAndNodes,
  partSlices,
  podsOfParts,
  type UnreadPart,
} from '../read/endpoint-parts.ts'
import type { Managed } from '../read/endpoint-reader.ts'
import { isWithin } from '../read/pods-of-facts.ts'
import { UnknownClusterError } from '../read/readable-cluster.ts'
import { type Changes, NOTHING_WRITTEN, updatesOf } from '../slice-changes.ts'
import type { Purpose, SyncResult } from '../sync-result.ts'
import { type SyncInputs, versionOf, versionsAfter } from '../verify-after-write.ts'
import type { KeySync } from './key-sync.ts'
import { publishPlan } from './publish-plan.ts'

/**
 * Step 3 of a full sync that is managed; {@link publishPlan} does 4 to 6.
 * @throws KubernetesError when a read failed
 * @throws SliceWriteError when writes failed for other reasons than a conflict
 */
export async function syncManaged(sync: KeySync, managed: Managed, purpose: Purpose): Promise<SyncResult> {
  try {
    return await publishParts(sync, managed, purpose)
  } catch (error) {
    if (!(error instanceof UnknownClusterError)) throw error
    const invalid = { kind: 'invalid', annotation: ANNOTATION_CLUSTER, problem: error.message } as const
    await sync.reporter.invalid(managed.service, invalid)
    return NOTHING_WRITTEN
  }
}

/**
 * Publishes what was read, and applies the setting `unreachableCluster` to the slices of clusters that could
 * not be read. If there are any the key fails whatever comes of it, so that it comes back.
 */
async function publishParts(sync: KeySync, managed: Managed, purpose: Purpose): Promise<SyncResult> {
  // 3.
  const parts = mapParts(await sync.endpoints.read(managed), sync.guards.addresses.filter)
  const unread = parts.filter(isUnread)
  if (unread.length === 0) return publishRead(sync, managed, { parts, purpose })
  if (purpose === 'compare') throw unread[0]?.error
  const slices = partSlices(parts, managed.slices)
  const apart = new Set(unread.flatMap((part) => slices.of(part)))
  const ofRead = managed.slices.filter((slice) => !apart.has(slice))
  const read = { ...managed, slices: ofRead, apart: [...apart] }
  const result = await publishRead(sync, read, { parts, purpose })
  if (result.conflict !== undefined || result.outdated !== undefined) return result
  for (const part of unread) {
    const ofPart = { ...managed, slices: slices.of(part), apart: managed.slices }
    const unfinished = await publishUnread(sync, ofPart, { part, purpose })
    if (unfinished !== undefined) return unfinished
  }
  // What may succeed by itself decides whether the key comes back.
  const failed = unread.find(({ error }) => error instanceof KubernetesError && error.retryable) ?? unread[0]
  throw failed?.error
}

async function publishRead(
  sync: KeySync,
  managed: Managed,
  { parts, purpose }: { readonly parts: readonly EndpointPart[]; readonly purpose: Purpose },
): Promise<SyncResult> {
  const { service, slices } = managed
  if (slices.length === 0 && !parts.some(isRead)) return NOTHING_WRITTEN
  const planned = planManaged(sync, managed, parts)
  const limits = parts.flatMap((part) => (isRead(part) ? (part.endpoints.limit ?? []) : []))
  if (!limits.every((limit) => isWithin(limit, slices, planned)))
    return publishParts(sync, { ...managed, ahead: undefined }, purpose)
  const podsVersion = podsVersionOf(parts)
  const result = await publishPlan(
    sync,
    {
      service,
      slices,
      planned,
      basis: { kind: 'plan', service, pods: podsOfParts(parts), skipped: planned.skipped },
      owner: service,
      inputsOf: (changes, written) => inputsOf(sync.key, managed, parts, { changes, result: written }),
    },
    purpose,
  )
  return { ...result, ...(podsVersion !== undefined && { podsVersion }) }
}

/** Returns the version of the pods, if a cache answered. */
const podsVersionOf = (parts: readonly EndpointPart[]): string | undefined =>
  parts.filter(isRead).find(({ endpoints }) => endpoints.podsVersion !== undefined)?.endpoints.podsVersion

/** Returns what is to be verified. Pods of another cluster or namespace need another sync for that. */
function inputsOf(
  { namespace }: KeyMessage,
  { service, selection, slices }: Managed,
  parts: readonly EndpointPart[],
  { changes, result }: { readonly changes: Changes; readonly result: ApplyResult },
): SyncInputs | undefined {
  if (selection.kind === 'managed' && selection.namespace !== namespace) return undefined
  const [part, ...others] = parts
  if (part === undefined || !isRead(part) || others.length > 0) return undefined
  const { selected } = part.endpoints
  if (selected?.areForeign) return undefined
  const versions = new Map(selected?.pods.map((pod) => [pod.metadata?.name, versionOf(pod)]))
  const { changed, areAdded } = podsWritten(slices, changes, namespace)
  const topologyHints = hintModeOf(service) === 'topology'
  return {
    ...(isVerifiable({ selection, topologyHints }) && { isVerifiable: true }),
    service: versionOf(service),
    api: service.apiVersion,
    pods: new Map([...changed].map((name) => [name, versions.get(name)])),
    ...(selection.kind === 'managed' && { selected: { selection, count: versions.size } }),
    slices: areAdded || result.created.length > 0 ? versionsAfter(slices, result) : undefined,
  }
}

/** Endpoints of a cluster whose pods are gone. */
const NO_ENDPOINTS: PodsAndNodes = {
  pods: [],
  nodes: [],
  source: foreignPodSource({ pods: [], nodes: [] }),
  skipped: [],
}

/** Returns a conflict, or what is outdated; undefined if there was neither. */
async function publishUnread(
  sync: KeySync,
  managed: Managed,
  { part: { cluster, labels, error }, purpose }: { readonly part: UnreadPart; readonly purpose: Purpose },
): Promise<SyncResult | undefined> {
  const { settings, guards, reporter, writer } = sync
  const { slices } = managed
  const policy = policyFor(error, settings)
  const outcome = unverified({ slices, policy, addresses: guards.addresses, now: guards.now() })
  const isDropped = outcome.kind === 'dropped'
  const basis = { kind: 'ClusterUnreachable' } as const
  const writes: readonly (readonly [Changes, boolean])[] = isDropped
    ? [[planManaged(sync, managed, [{ cluster, labels, endpoints: NO_ENDPOINTS }]), true]]
    : [
        [updatesOf(outcome.noted), false],
        [updatesOf(outcome.filtered), true],
      ]
  for (const [changes, isSealed] of writes) {
    const result = await writer.write(changes, { isSealed, purpose, read: slices, basis })
    if (result.conflict !== undefined || result.outdated !== undefined) return result
  }
  await reporter.event(managed.service, unreachableEvent({ ...policy, cluster, isDropped }))
  return undefined
}

/** Plans parts of a managed Service. */
function planManaged(
  { key: { triggerTime }, settings, writer }: KeySync,
  { service, slices, apart = [] }: Managed,
  parts: readonly EndpointPart[],
): SlicePlan {
  const takenNames = new Set([...writer.takenNames, ...apart.map(({ metadata }) => metadata?.name ?? '')])
  return planService({ service, slices, parts, settings, triggerTime, takenNames })
}
