import {
  ANNOTATION_CLUSTER,
  ANNOTATION_SELECTOR,
  goesWithService,
  type Hint,
  type InvalidSelection,
  invalidReason,
  isOfOtherMode,
  isOurs,
  leftoversOf,
  type Selection,
} from '../changes/index.ts'
import {
  type ApplyResult,
  type EndpointSlice,
  foreignPodSource,
  type Service,
  type SlicePlan,
} from '../endpointslice/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import type { MessageOrigin, Recorder } from '../recording/index.ts'
import type { Settings } from '../settings/index.ts'
import type { Log } from '../telemetry/index.ts'
import {
  type GuardedPlan,
  type Guards,
  type GuardsSettings,
  guardPlan,
  handoverOf,
  SliceFightError,
  slicesAfter,
  slicesByName,
  unreachableEvent,
  unverified,
  watchClusters,
} from './guards/index.ts'
import { minimumResourceVersion } from './minimum-resource-version.ts'
import { type PlanSummary, partSummary, planService, summaryOf } from './plan-service.ts'
import { createPodReader, type PodsAndNodes } from './pod-reader.ts'
import { readSlices, readState } from './read-state.ts'
import { type ReadableCluster, UnknownClusterError } from './readable-cluster.ts'
import { createRecordedSliceClient, guardsSaid, type WrittenPlan } from './recorded-slice-client.ts'
import { createReporter, type GuardSummary } from './reporter.ts'
import { createSelect, type SelectSettings } from './select-service.ts'
import { createSealedSliceClient, createSliceClient } from './slice-client.ts'
import type { HintedState, StateCache } from './state-cache.ts'
import { type Doubt, DoubtError, lookHinted } from './sync-hinted-pods.ts'
import {
  podsAdded,
  podsChanged,
  type Seen,
  type Verdict,
  verify,
  verifyElsewhere,
  versionOf,
  versionsOf,
} from './verify-seen.ts'
import { type Changes, isEmpty, NOTHING_WRITTEN, writeSlices } from './write-slices.ts'

export interface ServiceSyncOptions {
  /** @throws UnknownClusterError */
  readonly clusterOf: (name: string) => ReadableCluster
  readonly key: KeyMessage
  /** A version that pods have reached which will do for the first look; default: the newest pods. */
  readonly floor?: string
  readonly settings: GuardsSettings &
    SelectSettings &
    Pick<Settings, 'managedBy' | 'maxEndpointsPerSlice' | 'packing' | 'coalescingWindow'>
  readonly guards: Guards
  readonly kept: StateCache
  readonly logger: Log
  /** Default: nothing is recorded. */
  readonly recorder?: Recorder | undefined
  /** Of the key, for the recording. */
  readonly message?: MessageOrigin | undefined
  readonly signal: AbortSignal
  /** Awaited before a list goes beyond its first page. */
  readonly beforeMore: () => Promise<void>
}

/** What was written, and for a Service that is managed, what was planned. */
export interface SyncResult extends ApplyResult {
  readonly planned?: PlanSummary
  readonly guarded?: GuardSummary
  /** Others may be about to publish what we shall give up: another look after a moment tells. */
  readonly isTakenOver?: true
  /** There is something to write, which was not allowed; with the versions that the slices had. */
  readonly outdated?: ReadonlyMap<string, string>
  /** How new the pods are that were read, where they need not be the newest. */
  readonly podsVersion?: string
  /** What it was made of; absent where only another look can tell whether that is still so. */
  readonly seen?: Seen
  /** Slices were left alone. The key fails with it once all else is written. */
  readonly fight?: SliceFightError
}

/** Whether a look writes, tells as much as one that does and only does not write, or just sees whether there is something to write. */
export type Purpose = 'write' | 'audit' | 'compare'

/** Attempts at one key; what they learn of names that others use is kept between them, and so are unchanged pods. */
export interface ServiceSync {
  /** Looks at the whole Service. */
  whole(purpose: Purpose): Promise<SyncResult>
  /** Looks where the hint says; a doubt where that does not suffice, and nothing was written. */
  hinted(hint: Hint): Promise<SyncResult | Doubt>
  /** Whether what an attempt saw is still so; to be asked after it has written, or where it has Pods `elsewhere`. */
  verify(seen: Seen, hasWritten: boolean): Promise<Verdict>
}

interface Managed {
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

/**
 * A look at the whole of one key's Service:
 * 1. Read the slices and then the Service.
 * 2. Select: what the Service asks for, by its mode and annotations.
 * 3. Read its pods and nodes, and plan.
 * 4. Guard: what of the plan may be written.
 * 5. Write.
 * 6. Report to people.
 * A hinted look does 1 to 3 in {@link lookHinted}, needs no guards, and then goes on with 5.
 * @throws KubernetesError when a read failed: a partial read is never planned with
 * @throws SliceWriteError when writes failed for other reasons than a conflict
 */
export function createServiceSync({
  key,
  settings,
  guards,
  kept,
  logger,
  signal,
  beforeMore,
  message,
  ...options
}: ServiceSyncOptions): ServiceSync {
  let firstFloor = options.floor
  // Names that were refused as taken though no slice of this Service has them: somebody else's.
  const takenNames = new Set<string>()
  let hasWaited = false
  const { clusterOf, unreachableOf } = watchClusters(key.cluster, options.clusterOf)
  const home = clusterOf(key.cluster)
  const { client } = home
  const { nodesVersion } = key
  const select = createSelect(key.cluster, settings)
  const readEndpoints = createPodReader({
    cluster: key.cluster,
    clusterOf,
    nodesVersion,
    beforeMore,
    signal,
  })
  const reporter = createReporter({ client, key, settings, logger, signal })
  const plain = createSliceClient(client, signal)
  const recorder = options.recorder?.records(key) ? options.recorder : undefined

  async function whole(purpose: Purpose): Promise<SyncResult> {
    kept.forget(key)
    // 1.
    const { slices, service } = await readState({
      client,
      key,
      managedBy: settings.managedBy,
      beforeMore,
      signal,
    })
    recorder?.saw(key, slices)
    for (const { metadata } of slices) takenNames.delete(metadata?.name ?? '')
    const floor = minimumResourceVersion(firstFloor, slices)
    firstFloor = undefined
    if (service === undefined) return remove(slices.filter(goesWithService), { purpose })
    // 2.
    const selection = select(service)
    switch (selection.kind) {
      case 'managed':
      case 'static':
        return reconcile({ service, selection, slices, floor }, purpose)
      case 'unmanaged':
        return leftoversOf(selection, settings.leftovers) === 'keep'
          ? NOTHING_WRITTEN
          : giveUp(service, slices.filter(isOurs), purpose)
      case 'invalid':
        return leave(service, selection)
    }
  }

  async function reconcile(managed: Managed, purpose: Purpose): Promise<SyncResult> {
    try {
      return await publish(managed, purpose)
    } catch (error) {
      if (error instanceof UnknownClusterError)
        return leave(managed.service, {
          kind: 'invalid',
          annotation: ANNOTATION_CLUSTER,
          problem: error.message,
        })
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
    const seen = seenBy(managed, endpoints, { changes: guarded.changes, result })
    return { ...concluded, podsVersion: endpoints.podsVersion, ...(seen && { seen }) }
  }

  async function hinted(hint: Hint): Promise<SyncResult | Doubt> {
    try {
      const { service, slices, planned, seen, ...read } = await lookHinted(hint, {
        cluster: home,
        key,
        settings,
        select,
        addresses: guards.addresses,
        kept,
        signal,
      })
      reporter.skipped(planned.skipped)
      const grounds = { kind: 'plan', service, ...read, skipped: planned.skipped } as const
      const result = await write(planned, { isSealed: true, read: slices, grounds, look: 'hint' })
      if (result.conflict !== undefined) return result
      kept.keep(key, stateAfter(service, slices, result))
      const guarded = { changes: planned, hold: { kind: 'none' }, fights: [], postponed: 0 } as const
      const summary = await reporter.guarded(service, planned, guarded)
      const elsewhere = { ...seen.elsewhere, known: knownAfter(seen.elsewhere.known, result) }
      return {
        ...result,
        planned: partSummary(service, planned),
        guarded: summary,
        seen: { ...seen, elsewhere },
      }
    } catch (error) {
      if (error instanceof DoubtError) return error.doubt
      throw error
    }
  }

  /** Of pods of another cluster or namespace only another look can tell. */
  function seenBy(
    { service, selection, slices }: Managed,
    { selected }: PodsAndNodes,
    { changes, result }: { readonly changes: Changes; readonly result: ApplyResult },
  ): Seen | undefined {
    if (selection.kind === 'managed' && selection.namespace !== key.namespace) return undefined
    if (selected?.areForeign) return undefined
    const versions = new Map(selected?.pods.map((pod) => [pod.metadata?.name, versionOf(pod)]))
    const names = podsChanged(slices, changes, key.namespace)
    const known = versionsOf(slices)
    return {
      service: versionOf(service),
      pods: new Map([...names].map((name) => [name, versions.get(name)])),
      ...(selection.kind === 'managed' && { selected: { selection, count: versions.size } }),
      elsewhere: {
        pods: podsAdded(slices, changes, key.namespace),
        known: knownAfter(known, result),
        hasCreated: result.created.length > 0,
      },
    }
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

  /** The cluster that the pods are in cannot be reached: by the policy, and the key fails whatever comes of it. */
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

  /** The slices that we made for a Service that is not ours any more. */
  async function giveUp(
    service: Service,
    slices: readonly EndpointSlice[],
    purpose: Purpose,
  ): Promise<SyncResult> {
    if (slices.length === 0) return NOTHING_WRITTEN
    const everybodys = isOfOtherMode(service, settings.mode)
      ? await readSlices({ client, key, beforeMore, signal })
      : []
    const handover = handoverOf({ service, slices, everybodys, mode: settings.mode }, guards.now())
    if (handover.kind === 'done') return remove(slices, { purpose, service })
    const isNew = !isEmpty(handover.changes)
    if (isNew && !hasWaited && purpose === 'write') {
      hasWaited = true
      return { ...NOTHING_WRITTEN, isTakenOver: true }
    }
    const grounds = { kind: 'ServiceUnmanaged' } as const
    const result = await write(handover.changes, { isSealed: false, purpose, read: slices, grounds })
    if (purpose !== 'write' || result.conflict !== undefined) return result
    const guarded = await reporter.handoverHeld(service, handover.since)
    return { ...result, guarded, seen: { service: versionOf(service), pods: new Map() } }
  }

  /** The slices of a Service that is gone or not ours any more. */
  async function remove(
    slices: readonly EndpointSlice[],
    { purpose, service }: { readonly purpose: Purpose; readonly service?: Service },
  ): Promise<SyncResult> {
    const changes = { create: [], update: [], delete: [...slices] }
    const grounds = { kind: service === undefined ? 'ServiceDeleted' : 'ServiceUnmanaged' } as const
    const result = await write(changes, { isSealed: false, purpose, read: slices, grounds })
    return { ...result, seen: { service: versionOf(service), pods: new Map() } }
  }

  async function write(changes: Changes, written: WriteOptions): Promise<SyncResult> {
    const { isSealed, purpose = 'write', read } = written
    if (purpose !== 'write')
      return isEmpty(changes) ? NOTHING_WRITTEN : { ...NOTHING_WRITTEN, outdated: versionsOf(read) }
    const recorded =
      recorder && createRecordedSliceClient(plain, { ...written, recorder, key, message, changes })
    const slices = isSealed ? createSealedSliceClient(recorded ?? plain) : (recorded ?? plain)
    const result = await writeSlices(changes, { slices, key, logger })
    const { conflict } = result
    if (conflict !== undefined) kept.forget(key)
    if (conflict?.operation === 'create') takenNames.add(conflict.slice.slice(key.namespace.length + 1))
    return result
  }

  /** For what is ours and cannot be used: the slices stay as they are, and a person is told. */
  async function leave(service: Service, invalid: InvalidSelection): Promise<ApplyResult> {
    const message = `${invalidReason(invalid)}; the slices stay as they are until it is mended`
    await reporter.event(service, { type: 'Warning', reason: eventReason(invalid), message })
    return NOTHING_WRITTEN
  }

  const verifying = { client, key, managedBy: settings.managedBy, signal }
  return {
    whole,
    hinted,
    verify: (seen, hasWritten) =>
      hasWritten ? verify(seen, verifying) : verifyElsewhere(seen.elsewhere, verifying),
  }
}

function eventReason({ annotation, isRefused }: InvalidSelection): string {
  if (isRefused) return 'RefusedAnnotation'
  return annotation === ANNOTATION_SELECTOR ? 'InvalidSelector' : 'InvalidAnnotation'
}

interface WriteOptions extends WrittenPlan {
  /** Whether slices are written with a seal. */
  readonly isSealed: boolean
  readonly purpose?: Purpose
}

/** What is known of a Service once a look has written. */
function stateAfter(
  service: Service,
  slices: readonly EndpointSlice[],
  { created, updated, deleted }: ApplyResult,
): HintedState {
  const changes = { create: created, update: updated, delete: deleted }
  return { service, slices: [...slicesAfter(slicesByName(slices), changes).values()] }
}

/** The versions of slices, with those that were written. */
function knownAfter(
  before: ReadonlyMap<string, string>,
  { created, updated }: ApplyResult,
): ReadonlyMap<string, string> {
  const known = new Map(before)
  for (const { metadata } of [...created, ...updated])
    known.set(metadata?.name ?? '', metadata?.resourceVersion ?? '')
  return known
}
