import {
  ANNOTATION_CLUSTER,
  ANNOTATION_SELECTOR,
  leftoversOf,
  type Selection,
  selectionOf,
} from '../../shared/changes/index.ts'
import {
  type ApplyResult,
  type EndpointSlice,
  foreignPodSource,
  type Service,
  type SliceClient,
  type SlicePlan,
} from '../../shared/endpointslice/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import { type ReadableCluster, UnknownClusterError } from './clusters.ts'
import { createEndpointReader, type ReadEndpoints } from './endpoint-reader.ts'
import { floorFor } from './floor.ts'
import {
  type GuardedPlan,
  type Guards,
  type GuardsSettings,
  guardPlan,
  SliceFightError,
  unreachableEvent,
  unverified,
  watchClusters,
} from './guards/index.ts'
import { type PlanSummary, planService, summaryOf } from './plan-service.ts'
import { readState } from './read-state.ts'
import { createReporter, type GuardSummary } from './reporter.ts'
import { createSealedSliceClient, createSliceClient } from './sealed-slices.ts'
import { type Changes, isEmpty, NOTHING_WRITTEN, writeSlices } from './write-slices.ts'

export interface AttemptOptions {
  /** @throws UnknownClusterError */
  readonly clusterOf: (name: string) => ReadableCluster
  readonly key: KeyMessage
  /** A version that pods have reached which will do for the first look; default: the newest pods. */
  readonly floor?: string
  readonly settings: GuardsSettings &
    Pick<Settings, 'mode' | 'managedBy' | 'maxEndpointsPerSlice' | 'packing' | 'coalescingWindow'>
  readonly guards: Guards
  readonly logger: Log
  readonly signal: AbortSignal
}

/** What was written, and for a Service that is managed, what was planned. */
export interface AttemptResult extends ApplyResult {
  readonly planned?: PlanSummary
  readonly guarded?: GuardSummary
  /** There would be something to write, which was not allowed. */
  readonly isOutdated?: true
  /** How new the pods are that were read, where they need not be the newest. */
  readonly podsVersion?: string
}

interface Managed {
  readonly service: Service
  readonly selection: Selection & { kind: 'managed' | 'static' }
  readonly slices: readonly EndpointSlice[]
  /** Of the pods; absent: the newest. */
  readonly floor: string | undefined
}

const OUTDATED: AttemptResult = { ...NOTHING_WRITTEN, isOutdated: true }

/** As if the Service's pods were gone. */
const NO_ENDPOINTS: ReadEndpoints = {
  pods: [],
  nodes: [],
  source: foreignPodSource({ pods: [], nodes: [] }),
  skipped: [],
}

/**
 * A function that does these once for one key; told not to write, it says whether there would be something to write.
 * 1. Read the slices and then the Service.
 * 2. Select: what the Service asks for, by its mode and annotations.
 * 3. Read its pods and nodes, and plan.
 * 4. Guard: what of the plan may be written.
 * 5. Write.
 * 6. Report to people.
 * What it learns of names that others use is kept between its calls, and so are the pods that have not changed.
 * @throws KubernetesError when a read failed: a partial read is never planned with
 * @throws SliceWriteError when writes failed for other reasons than a conflict
 * @throws SliceFightError when slices were left alone
 */
export function createAttempt({
  key,
  settings,
  guards,
  logger,
  signal,
  ...options
}: AttemptOptions): (mayWrite: boolean) => Promise<AttemptResult> {
  let firstFloor = options.floor
  // Names that were refused as taken though no slice of this Service has them: somebody else's.
  const takenNames = new Set<string>()
  const { clusterOf, unreachableOf } = watchClusters(key.cluster, options.clusterOf)
  const { client } = clusterOf(key.cluster)
  const readEndpoints = createEndpointReader({ cluster: key.cluster, clusterOf, signal })
  const reporter = createReporter({ client, key, settings, logger, signal })
  const sealed = createSealedSliceClient(client, signal)
  const plain = createSliceClient(client, signal)

  async function attempt(mayWrite: boolean): Promise<AttemptResult> {
    // 1.
    const { slices, service } = await readState({ client, key, managedBy: settings.managedBy, signal })
    for (const { metadata } of slices) takenNames.delete(metadata?.name ?? '')
    const floor = floorFor(firstFloor, slices)
    firstFloor = undefined
    if (service === undefined) return remove(slices, mayWrite)
    // 2.
    const selection = selectionOf(service, settings.mode)
    switch (selection.kind) {
      case 'managed':
      case 'static':
        return reconcile({ service, selection, slices, floor }, mayWrite)
      case 'unmanaged':
        return leftoversOf(selection, settings.leftovers) === 'keep'
          ? NOTHING_WRITTEN
          : remove(slices, mayWrite)
      case 'invalid':
        return leave(service, selection.annotation, selection.problem)
    }
  }

  async function reconcile(managed: Managed, mayWrite: boolean): Promise<AttemptResult> {
    try {
      return await publish(managed, mayWrite)
    } catch (error) {
      if (error instanceof UnknownClusterError)
        return leave(managed.service, ANNOTATION_CLUSTER, error.message)
      if (unreachableOf(error) === undefined || !mayWrite) throw error
      return withoutPods(managed, error)
    }
  }

  async function publish(managed: Managed, mayWrite: boolean): Promise<AttemptResult> {
    const { service, selection, slices, floor } = managed
    // 3.
    const endpoints = await readEndpoints(service, selection, floor)
    const planned = planFor(managed, guards.addresses.filter(endpoints))
    // Looked at once more after writing, there is nothing new to tell.
    if (mayWrite) reporter.skipped(planned.skipped)
    // 4.
    const losses = guards.lost.look(service, slices)
    const guarded = guardPlan({ service, slices, planned, losses, now: guards.now() }, settings)
    // 5. A note alone keeps the seal that the slice has, and so the trace of an edit that was not mended.
    const isNote = guarded.hold.kind === 'held'
    const result = await write(guarded.changes, isNote ? plain : sealed, mayWrite)
    if (!mayWrite) return result
    guards.lost.wrote(service, slices, result)
    // 6.
    if (result.conflict !== undefined) return { ...result, planned: summaryOf(service, planned) }
    const concluded = await conclude(managed, { planned, guarded, result })
    return { ...concluded, podsVersion: endpoints.podsVersion }
  }

  async function conclude(
    { service }: Managed,
    { planned, guarded, result }: { planned: SlicePlan; guarded: GuardedPlan; result: ApplyResult },
  ): Promise<AttemptResult> {
    const summary = await reporter.guarded(service, planned, guarded)
    if (guarded.fights.length > 0)
      throw new SliceFightError(`${key.namespace}/${key.service} of cluster ${key.cluster}`, guarded.fights)
    return { ...result, planned: summaryOf(service, planned, summary.isHeld), guarded: summary }
  }

  /** The cluster that the pods are in cannot be reached: by the policy, and the key fails whatever comes of it. */
  async function withoutPods(managed: Managed, error: unknown): Promise<AttemptResult> {
    const outcome = unverified(managed.slices, settings, guards.now())
    const isDropped = outcome.kind === 'dropped'
    if (outcome.kind !== 'kept') {
      const changes = isDropped ? planFor(managed, NO_ENDPOINTS) : outcome.changes
      const result = await write(changes, isDropped ? sealed : plain, true)
      if (result.conflict !== undefined) return result
    }
    const cluster = unreachableOf(error) ?? ''
    await reporter.event(managed.service, unreachableEvent({ ...settings, cluster, isDropped }))
    throw error
  }

  function planFor({ service, slices }: Managed, endpoints: ReadEndpoints): SlicePlan {
    const { triggerTime } = key
    return planService({ service, slices, endpoints, settings, triggerTime, takenNames })
  }

  /** The slices of a Service that is gone or not ours any more. */
  const remove = (slices: readonly EndpointSlice[], mayWrite: boolean): Promise<AttemptResult> =>
    write({ create: [], update: [], delete: [...slices] }, plain, mayWrite)

  async function write(changes: Changes, slices: SliceClient, mayWrite: boolean): Promise<AttemptResult> {
    if (!mayWrite) return isEmpty(changes) ? NOTHING_WRITTEN : OUTDATED
    const result = await writeSlices(changes, { slices, key, logger })
    const { conflict } = result
    if (conflict?.operation === 'create') takenNames.add(conflict.slice.slice(key.namespace.length + 1))
    return result
  }

  /** For what is ours and cannot be understood: the slices stay as they are, and a person is told. */
  async function leave(service: Service, annotation: string, problem: string): Promise<ApplyResult> {
    const reason = annotation === ANNOTATION_SELECTOR ? 'InvalidSelector' : 'InvalidAnnotation'
    const message = `the annotation ${annotation} cannot be used: ${problem}; the slices stay as they are until it is mended`
    await reporter.event(service, { type: 'Warning', reason, message })
    return NOTHING_WRITTEN
  }

  return attempt
}
