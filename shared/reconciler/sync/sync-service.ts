import { goesWithService, type Hint, isOurs, leftoversOf } from '../../changes/index.ts'
import { isMirror, LABEL_MANAGED_BY } from '../../endpointslice/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { MessageOrigin, Recorder } from '../../recording/index.ts'
import type { Log } from '../../telemetry/index.ts'
import type { Guards } from '../guards/index.ts'
import { managersOf, partSummary } from '../plan/index.ts'
import type { NodesKnowledge, ReadableCluster } from '../read/index.ts'
import { createPodReader, type EndpointReaderOptions, minimumResourceVersion } from '../read/index.ts'
import { readState } from '../read-state.ts'
import { NOTHING_WRITTEN } from '../slice-changes.ts'
import type { Purpose, SyncResult } from '../sync-result.ts'
import {
  knownAfter,
  type SyncInputs,
  type VerifyResult,
  verify,
  verifyUnread,
} from '../verify-after-write.ts'
import { createPlanWriter, createSliceClient, type StateCache, stateAfter } from '../write/index.ts'
import { createPlanPublisher } from './publish-plan.ts'
import { createReporter } from './reporter.ts'
import { createSelect } from './select-service.ts'
import { type FullSyncReason, FullSyncRequired, syncHintedPods } from './sync-hinted-pods.ts'
import { createManagedSync, type SyncSettings } from './sync-managed.ts'
import { createMirroredSync } from './sync-mirrored.ts'
import { createUnmanagedSync } from './sync-unmanaged.ts'
import { syncUnwritten } from './sync-unwritten.ts'

export interface ServiceSyncOptions {
  /** @throws UnknownClusterError */
  readonly clusterOf: (name: string) => ReadableCluster
  readonly key: KeyMessage
  /** Time since the key was sent, in milliseconds, which clocks that differ do not exceed. Default 0. */
  readonly sentAgoMs?: number
  /** A version that pods have reached which will do for the first sync; default: the newest pods. */
  readonly notOlderThan?: string
  readonly settings: SyncSettings
  readonly guards: Guards
  readonly cache: StateCache
  readonly logger: Log
  /** Default: nothing is recorded. */
  readonly recorder?: Recorder | undefined
  /** Origin of the key, for the recording. */
  readonly message?: MessageOrigin | undefined
  readonly signal: AbortSignal
  /** Awaited before a list goes beyond its first page. */
  readonly beforeMore: () => Promise<void>
}

/**
 * Attempts at one key; what they learn of names that others use is shared between them, and so are unchanged
 * pods.
 */
export interface ServiceSync {
  /** Looks at the whole Service. */
  fullSync(purpose: Purpose): Promise<SyncResult>
  /**
   * Syncs what the hint names; a reason for a full sync where that does not suffice, and nothing was
   * written.
   */
  hintedSync(hint: Hint): Promise<SyncResult | FullSyncReason>
  /**
   * Verifies that what an attempt saw is still so. Call it after a write, or if the attempt has Pods
   * `unread`.
   */
  verify(inputs: SyncInputs, hasWritten: boolean): Promise<VerifyResult>
}

/**
 * Creates the syncs of one key's Service. A full sync takes these steps:
 * 1. Read the slices and then the Service.
 * 2. Select: what the Service asks for, by its mode and annotations.
 * 3. Read its pods and nodes, and plan.
 * 4. Guard: decide which part of the plan may be written.
 * 5. Write.
 * 6. Report to people.
 * For a Service that is managed, {@link createManagedSync} does 3, and for one whose slices mirror Endpoints
 * {@link createMirroredSync}; {@link createPlanPublisher} does 4 to 6 of both. A hinted sync does 1 to 3 in
 * {@link syncHintedPods}, needs no guards, and goes on with 5.
 * @throws KubernetesError when a read failed: no plan is made of a partial read
 * @throws SliceWriteError when writes failed for other reasons than a conflict
 */
export function createServiceSync({
  key,
  settings,
  guards,
  cache,
  logger,
  signal,
  beforeMore,
  message,
  ...options
}: ServiceSyncOptions): ServiceSync {
  const { clusterOf, sentAgoMs } = options
  let firstVersion = options.notOlderThan
  const home = clusterOf(key.cluster)
  const { client } = home
  const select = createSelect(key.cluster, settings)
  const readEndpoints = createPodReader({ ...nodesOfKey(key, sentAgoMs), clusterOf, beforeMore, signal })
  const reporter = createReporter({ client, key, settings, guards, logger, signal })
  const recorder = options.recorder?.records(key) ? options.recorder : undefined
  const writing = { key, slices: createSliceClient(client, signal), cache, recorder, message, logger }
  const writer = createPlanWriter({ ...writing, writer: guards.writer })
  const common = { key, settings, guards, cache, reporter, writer }
  const publishPlan = createPlanPublisher(common)
  const syncManaged = createManagedSync({ ...common, publishPlan, readEndpoints })
  const { giveUp, remove } = createUnmanagedSync({ ...common, client, beforeMore, signal })
  const syncMirrored = createMirroredSync({ ...common, client, publishPlan, giveUp, signal })
  const { managedBy } = settings

  async function fullSync(purpose: Purpose): Promise<SyncResult> {
    cache.forget(key)
    // 1.
    const managers = managersOf(settings)
    const state = await readState({ client, key, managers, beforeMore, signal })
    const { service } = state
    const slices = state.slices.filter(({ metadata }) => metadata?.labels?.[LABEL_MANAGED_BY] === managedBy)
    recorder?.saw(key, slices)
    for (const { metadata } of slices) writer.takenNames.delete(metadata?.name ?? '')
    const notOlderThan = minimumResourceVersion(firstVersion, slices)
    firstVersion = undefined
    if (service === undefined) return remove(slices.filter(goesWithService), { purpose })
    // 2.
    const selection = select(service)
    switch (selection.kind) {
      case 'managed':
      case 'sourced':
        return syncManaged({ service, selection, slices, notOlderThan }, purpose)
      case 'mirrored':
        return syncMirrored({ service, selection, slices: state.slices }, purpose)
      case 'unmanaged':
        if (settings.mirrorEndpoints && slices.some((slice) => isMirror(slice) && isOurs(slice)))
          return syncMirrored({ service, selection, slices }, purpose)
        return leftoversOf(selection, settings.leftovers) === 'keep'
          ? NOTHING_WRITTEN
          : giveUp(service, slices.filter(isOurs), purpose)
      case 'paused':
      case 'invalid':
        return syncUnwritten({ service, selection, slices }, { reporter, purpose })
    }
  }

  async function hintedSync(hint: Hint): Promise<SyncResult | FullSyncReason> {
    try {
      const { service, slices, planned, inputs, ...read } = await syncHintedPods(hint, {
        cluster: home,
        key,
        settings,
        select,
        addresses: guards.addresses,
        writer: guards.writer,
        cache,
        signal,
      })
      reporter.skipped(planned.skipped)
      const basis = { kind: 'plan', service, ...read, skipped: planned.skipped } as const
      const result = await writer.write(planned, { isSealed: true, read: slices, basis, sync: 'hint' })
      if (result.conflict !== undefined) return result
      cache.keep(key, stateAfter(service, slices, result))
      const guarded = { changes: planned, hold: { kind: 'none' }, fights: [], postponed: 0 } as const
      const summary = await reporter.guarded(service, planned, guarded)
      const unread = { ...inputs.unread, known: knownAfter(inputs.unread.known, result) }
      return {
        ...result,
        planned: partSummary(service, planned),
        guarded: summary,
        inputs: { ...inputs, unread },
      }
    } catch (error) {
      if (error instanceof FullSyncRequired) return error.fullSyncReason
      throw error
    }
  }

  const verifying = { client, key, managedBy, signal }
  return {
    fullSync,
    hintedSync,
    verify: (inputs, hasWritten) =>
      hasWritten ? verify(inputs, verifying) : verifyUnread(inputs.unread, verifying),
  }
}

/** Returns what is known of the Nodes of a key's cluster. */
const nodesOfKey = (
  { cluster, nodesVersion, history }: KeyMessage,
  sentAgoMs: number | undefined,
): Pick<EndpointReaderOptions, 'cluster' | keyof NodesKnowledge> => ({
  cluster,
  nodesVersion,
  history,
  sentAgoMs,
})
