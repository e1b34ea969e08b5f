import { foreignPodSource, type SlicePlan } from '../../endpointslice/index.ts'
import { KubernetesError } from '../../kubernetes/index.ts'
import { policyFor, unreachableEvent, unverified } from '../guards/unreachable.ts'
import { planService } from '../plan/plan-service.ts'
import { type EndpointPart, type PodsAndNodes, partSlices, type UnreadPart } from '../read/endpoint-parts.ts'
import type { Managed } from '../read/endpoint-reader.ts'
import { type Changes, updatesOf } from '../slice-changes.ts'
import type { Purpose, SyncResult } from '../sync-result.ts'
import type { KeySync } from './key-sync.ts'

/** Endpoints of a cluster whose pods are gone. */
const NO_ENDPOINTS: PodsAndNodes = {
  pods: [],
  nodes: [],
  source: foreignPodSource({ pods: [], nodes: [] }),
  skipped: [],
}

interface UnreadParts {
  readonly parts: readonly EndpointPart[]
  readonly unread: readonly UnreadPart[]
  readonly purpose: Purpose
}

/**
 * Applies the setting `unreachableCluster` to the slices of clusters that could not be read. The key fails
 * whatever comes of it, so that it comes back.
 * @returns a conflict, or what is outdated; otherwise it throws the failure of one of the clusters
 */
export async function publishUnread(
  sync: KeySync,
  managed: Managed,
  { parts, unread, purpose }: UnreadParts,
): Promise<SyncResult> {
  const parted = partSlices(parts, managed.slices)
  for (const part of unread) {
    const ofPart = { ...managed, slices: parted.of(part), apart: managed.slices }
    const result = await publishPart(sync, ofPart, { part, purpose })
    if (result !== undefined) return result
  }
  // What may succeed by itself decides whether the key comes back.
  const failed = unread.find(({ error }) => error instanceof KubernetesError && error.retryable) ?? unread[0]
  throw failed?.error
}

async function publishPart(
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
export function planManaged(
  { key: { triggerTime }, settings, writer }: KeySync,
  { service, slices, apart = [] }: Managed,
  parts: readonly EndpointPart[],
): SlicePlan {
  const takenNames = new Set([...writer.takenNames, ...apart.map(({ metadata }) => metadata?.name ?? '')])
  return planService({ service, slices, parts, settings, triggerTime, takenNames })
}
