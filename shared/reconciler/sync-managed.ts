import { ANNOTATION_CLUSTER, type Selection } from '../changes/index.ts'
import {
  type ApplyResult,
  type EndpointSlice,
  foreignPodSource,
  type Service,
  type SlicePlan,
} from '../endpointslice/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import type { Settings } from '../settings/index.ts'
import {
  type GuardedPlan,
  type Guards,
  type GuardsSettings,
  guardPlan,
  SliceFightError,
  unreachableEvent,
  unverified,
  type watchClusters,
} from './guards/index.ts'
import { planService, summaryOf } from './plan-service.ts'
import type { PlanWriter } from './plan-writer.ts'
import type { createPodReader, PodsAndNodes } from './pod-reader.ts'
import { UnknownClusterError } from './readable-cluster.ts'
import { guardsSaid } from './recorded-slice-client.ts'
import type { Reporter } from './reporter.ts'
import type { SelectSettings } from './select-service.ts'
import { type StateCache, stateAfter } from './state-cache.ts'
import type { Purpose, SyncResult } from './sync-result.ts'
import { knownAfter, podsAdded, podsChanged, type Seen, versionOf, versionsOf } from './verify-seen.ts'
import { type Changes, NOTHING_WRITTEN } from './write-slices.ts'

/** What was read and selected of a Service that is managed. */
export interface Managed {
  readonly service: Service
  readonly selection: Selection & { kind: 'managed' | 'static' }
  readonly slices: readonly EndpointSlice[]
  /** Of the pods; absent: the newest. */
  readonly floor: string | undefined
}

/** As if the Service's pods were gone. */
const NO_ENDPOINTS: PodsAndNodes = {
  pods: [],
  nodes: [],
  source: foreignPodSource({ pods: [], nodes: [] }),
  skipped: [],
}

export type SyncSettings = GuardsSettings &
  SelectSettings &
  Pick<Settings, 'managedBy' | 'maxEndpointsPerSlice' | 'packing' | 'coalescingWindow'>

export interface ManagedSyncOptions {
  readonly key: KeyMessage
  readonly settings: SyncSettings
  readonly guards: Guards
  readonly kept: StateCache
  readonly reporter: Reporter
  readonly writer: PlanWriter
  readonly readEndpoints: ReturnType<typeof createPodReader>
  readonly unreachableOf: ReturnType<typeof watchClusters>['unreachableOf']
}

/**
 * Steps 3 to 6 of a look at a whole Service that is managed.
 * @throws KubernetesError when a read failed
 * @throws SliceWriteError when writes failed for other reasons than a conflict
 */
export function createManagedSync({
  key,
  settings,
  guards,
  kept,
  reporter,
  writer: { write, takenNames },
  readEndpoints,
  unreachableOf,
}: ManagedSyncOptions): (managed: Managed, purpose: Purpose) => Promise<SyncResult> {
  async function sync(managed: Managed, purpose: Purpose): Promise<SyncResult> {
    try {
      return await publish(managed, purpose)
    } catch (error) {
      if (error instanceof UnknownClusterError) {
        const invalid = { kind: 'invalid', annotation: ANNOTATION_CLUSTER, problem: error.message } as const
        await reporter.invalid(managed.service, invalid)
        return NOTHING_WRITTEN
      }
      if (unreachableOf(error) === undefined || purpose === 'compare') throw error
      return withoutPods(managed, error, purpose)
    }
  }

  async function publish(managed: Managed, purpose: Purpose): Promise<SyncResult> {
    const { service, slices } = managed
    // 3.
    const endpoints = await readEndpoints(managed)
    const planned = planFor(managed, guards.addresses.filter(endpoints))
    // Looked at once more after writing, there is nothing new to tell.
    if (purpose !== 'compare') reporter.skipped(planned.skipped)
    // 4.
    const losses = guards.lost.look({ cluster: key.cluster, service }, slices)
    const guarded = guardPlan({ service, slices, planned, losses, now: guards.now() }, settings)
    // 5. A note alone keeps the seal that the slice has, and so the trace of an edit that was not mended.
    const isNote = guarded.hold.kind === 'held'
    const { pods } = endpoints.selected ?? endpoints
    const grounds = { kind: 'plan', service, pods, skipped: planned.skipped } as const
    const written = { isSealed: !isNote, purpose, read: slices, grounds, ...guardsSaid(guarded) }
    const result = await write(guarded.changes, written)
    if (purpose === 'compare' || result.outdated !== undefined) return result
    guards.lost.wrote({ cluster: key.cluster, service }, slices, result)
    // 6.
    if (result.conflict !== undefined) return { ...result, planned: summaryOf(service, planned) }
    kept.keep(key, stateAfter(service, slices, result))
    const concluded = await conclude(managed, { planned, guarded, result })
    const seen = seenBy(key, managed, endpoints, { changes: guarded.changes, result })
    return { ...concluded, podsVersion: endpoints.podsVersion, ...(seen && { seen }) }
  }

  async function conclude(
    { service }: Managed,
    { planned, guarded, result }: { planned: SlicePlan; guarded: GuardedPlan; result: ApplyResult },
  ): Promise<SyncResult> {
    const { fights } = guarded
    const summary = await reporter.guarded(service, planned, guarded)
    const isUnwritten = summary.isHeld || summary.isOversized === true
    const name = `${key.namespace}/${key.service} of cluster ${key.cluster}`
    return {
      ...result,
      planned: summaryOf(service, planned, isUnwritten),
      guarded: summary,
      ...(fights.length > 0 && { fight: new SliceFightError(name, fights) }),
    }
  }

  /**
   * The cluster that the pods are in cannot be reached: by the policy, and the key fails whatever comes of
   * it.
   */
  async function withoutPods(managed: Managed, error: unknown, purpose: Purpose): Promise<SyncResult> {
    const outcome = unverified(managed.slices, settings, guards.now())
    const isDropped = outcome.kind === 'dropped'
    if (outcome.kind !== 'kept') {
      const changes = isDropped ? planFor(managed, NO_ENDPOINTS) : outcome.changes
      const grounds = { kind: 'ClusterUnreachable' } as const
      const result = await write(changes, { isSealed: isDropped, purpose, read: managed.slices, grounds })
      if (result.conflict !== undefined || result.outdated !== undefined) return result
    }
    const cluster = unreachableOf(error) ?? ''
    await reporter.event(managed.service, unreachableEvent({ ...settings, cluster, isDropped }))
    throw error
  }

  function planFor({ service, slices }: Managed, endpoints: PodsAndNodes): SlicePlan {
    const { triggerTime } = key
    return planService({ service, slices, endpoints, settings, triggerTime, takenNames })
  }

  return sync
}

/** Of pods of another cluster or namespace only another look can tell. */
function seenBy(
  { namespace }: KeyMessage,
  { service, selection, slices }: Managed,
  { selected }: PodsAndNodes,
  { changes, result }: { readonly changes: Changes; readonly result: ApplyResult },
): Seen | undefined {
  if (selection.kind === 'managed' && selection.namespace !== namespace) return undefined
  if (selected?.areForeign) return undefined
  const versions = new Map(selected?.pods.map((pod) => [pod.metadata?.name, versionOf(pod)]))
  const names = podsChanged(slices, changes, namespace)
  const known = versionsOf(slices)
  return {
    service: versionOf(service),
    pods: new Map([...names].map((name) => [name, versions.get(name)])),
    ...(selection.kind === 'managed' && { selected: { selection, count: versions.size } }),
    elsewhere: {
      pods: podsAdded(slices, changes, namespace),
      known: knownAfter(known, result),
      hasCreated: result.created.length > 0,
    },
  }
}
