import { foreignPodSource, type SlicePlan } from '../../endpointslice/index.ts'
import { KubernetesError } from '../../kubernetes/index.ts'
import type { Guards } from '../guards/guards.ts'
import { policyFor, type UnreachablePolicy, unreachableEvent, unverified } from '../guards/unreachable.ts'
import {
  type EndpointPart,
  type PodsAndNodes,
  partSlices,
  type ReadPart,
  type UnreadPart,
} from '../read/endpoint-parts.ts'
import type { Managed } from '../read/pod-reader.ts'
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

type PlanFor = (managed: Managed, parts: readonly ReadPart[]) => SlicePlan

/**
 * Applies the setting `unreachableCluster` to the slices of clusters that could not be read. The key fails
 * whatever comes of it, so that it comes back.
 */
export class UnreadSync {
  readonly #settings: UnreachablePolicy
  readonly #guards: Guards

  constructor(settings: UnreachablePolicy, guards: Guards) {
    this.#settings = settings
    this.#guards = guards
  }

  /** @returns a conflict, or what is outdated; otherwise it throws the failure of one of the clusters */
  async publish(
    sync: KeySync,
    managed: Managed,
    { parts, unread, purpose }: UnreadParts,
    planFor: PlanFor,
  ): Promise<SyncResult> {
    const parted = partSlices(parts, managed.slices)
    for (const part of unread) {
      const apart = managed.slices
      const ofPart = { ...managed, slices: parted.of(part), apart }
      const result = await this.#publishPart(sync, ofPart, { part, purpose, planFor })
      if (result !== undefined) return result
    }
    // What may succeed by itself decides whether the key comes back.
    const failed =
      unread.find(({ error }) => error instanceof KubernetesError && error.retryable) ?? unread[0]
    throw failed?.error
  }

  async #publishPart(
    { reporter, writer }: KeySync,
    managed: Managed,
    {
      part: { cluster, labels, error },
      purpose,
      planFor,
    }: { readonly part: UnreadPart; readonly purpose: Purpose; readonly planFor: PlanFor },
  ): Promise<SyncResult | undefined> {
    const { slices } = managed
    const guards = this.#guards
    const policy = policyFor(error, this.#settings)
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
      const result = await writer.write(changes, { isSealed, purpose, read: slices, basis })
      if (result.conflict !== undefined || result.outdated !== undefined) return result
    }
    await reporter.event(managed.service, unreachableEvent({ ...policy, cluster, isDropped }))
    return undefined
  }
}
