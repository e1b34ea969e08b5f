import { foreignPodSource, type SlicePlan } from '../../endpointslice/index.ts'
import { KubernetesError } from '../../kubernetes/index.ts'
import { type Guards, policyFor, unreachableEvent, unverified } from '../guards/index.ts'
import type { UnreachablePolicy } from '../guards/unreachable.ts'
import type { Managed } from '../read/index.ts'
import {
  type EndpointPart,
  type PodsAndNodes,
  partSlices,
  type ReadPart,
  type UnreadPart,
} from '../read/index.ts'
import { type Changes, updatesOf } from '../slice-changes.ts'
import type { Purpose, SyncResult } from '../sync-result.ts'
import type { PlanWriter } from '../write/index.ts'
import type { Reporter } from './reporter.ts'

/** Endpoints of a cluster whose pods are gone. */
const NO_ENDPOINTS: PodsAndNodes = {
  pods: [],
  nodes: [],
  source: foreignPodSource({ pods: [], nodes: [] }),
  skipped: [],
}

export interface UnreadSyncOptions {
  readonly settings: UnreachablePolicy
  readonly guards: Guards
  readonly reporter: Reporter
  readonly write: PlanWriter['write']
  readonly planFor: (managed: Managed, parts: readonly ReadPart[]) => SlicePlan
}

export interface UnreadParts {
  readonly parts: readonly EndpointPart[]
  /** Parts that could not be read. */
  readonly unread: readonly UnreadPart[]
  readonly purpose: Purpose
}

/**
 * Applies the setting `unreachableCluster` to the slices of clusters that could not be read. The key fails
 * whatever comes of it, so that it comes back.
 * @returns a conflict, or what is outdated; otherwise it throws the failure of one of the clusters
 */
export function createUnreadSync({
  settings,
  guards,
  reporter,
  write,
  planFor,
}: UnreadSyncOptions): (managed: Managed, read: UnreadParts) => Promise<SyncResult> {
  async function publish(
    managed: Managed,
    { cluster, labels, error }: UnreadPart,
    purpose: Purpose,
  ): Promise<SyncResult | undefined> {
    const { slices } = managed
    const policy = policyFor(error, settings)
    const outcome = unverified({ slices, policy, addresses: guards.addresses, now: guards.now() })
    const isDropped = outcome.kind === 'dropped'
    const basis = { kind: 'ClusterUnreachable' } as const
    const writes: readonly (readonly [Changes, boolean])[] = isDropped
      ? [[planFor(managed, [{ cluster, labels, endpoints: NO_ENDPOINTS }]), true]]
      : [
          [updatesOf(outcome.noted), false],
          [updatesOf(outcome.filtered), true],
        ]
    for (const [changes, isSealed] of writes) {
      const result = await write(changes, { isSealed, purpose, read: slices, basis })
      if (result.conflict !== undefined || result.outdated !== undefined) return result
    }
    await reporter.event(managed.service, unreachableEvent({ ...policy, cluster, isDropped }))
    return undefined
  }

  return async (managed, { parts, unread, purpose }) => {
    const parted = partSlices(parts, managed.slices)
    for (const part of unread) {
      const apart = managed.slices
      const result = await publish({ ...managed, slices: parted.of(part), apart }, part, purpose)
      if (result !== undefined) return result
    }
    // What may succeed by itself decides whether the key comes back.
    const failed =
      unread.find(({ error }) => error instanceof KubernetesError && error.retryable) ?? unread[0]
    throw failed?.error
  }
}
