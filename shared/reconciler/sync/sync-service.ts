import {
  goesWithService,
  isOurs,
  leftoversOf,
  permissionsOf,
  type ReadAhead,
  type SyncHint,
  selectionOf,
} from '../../changes/index.ts'
import { type EndpointSlice, isMirror, LABEL_MANAGED_BY, ownerOfKind } from '../../endpointslice/index.ts'
import type { KeyMessage } from '../../queue/index.ts'
import type { MessageOrigin, Recorder } from '../../recording/index.ts'
import type { Log } from '../../telemetry/index.ts'
import { once } from '../../values/index.ts'
import { partSummary } from '../plan/plan-service.ts'
import { EndpointReader } from '../read/endpoint-reader.ts'
import { AheadReads } from '../read/read-ahead.ts'
import { minimumResourceVersion } from '../read/read-object.ts'
import { foreignSlicesOf, isNativeSelector, OwnerReader } from '../read/read-owner.ts'
import type { ReadableCluster } from '../read/readable-cluster.ts'
import { managersOf, readState, type ServiceState } from '../read-state.ts'
import { NOTHING_WRITTEN } from '../slice-changes.ts'
import type { Purpose, SyncResult } from '../sync-result.ts'
import { type SyncInputs, verify, versionsOf } from '../verify-after-write.ts'
import { stateAfter } from '../write/state-cache.ts'
import { createSliceClient, PlanWriter } from '../write/write-slices.ts'
import type { KeySync, SharedBySyncs } from './key-sync.ts'
import { Reporter } from './reporter.ts'
import { type FullSyncReason, FullSyncRequired, syncHintedPods } from './sync-hinted-pods.ts'
import { syncManaged } from './sync-managed.ts'
import { type Given, giveUpSlices, leaveSlices, removeSlices, syncUnwritten } from './sync-unmanaged.ts'

export interface ServiceSyncsOptions extends SharedBySyncs {
  /** @throws UnknownClusterError */
  readonly clusterOf: (name: string) => ReadableCluster
  /** Default: nothing is recorded. */
  readonly recorder?: Recorder | undefined
}

/** What is known of a key beside its message. */
export interface KeyContext extends Pick<KeySync, 'beforeMore' | 'signal'> {
  /** Time since the key was sent, in milliseconds, which clocks that differ do not exceed. Default 0. */
  readonly sentAgoMs?: number
  /** A version that pods have reached which will do for the first sync; default: the newest pods. */
  readonly notOlderThan?: string | undefined
  /** What the first full sync may read at once; default: it reads in order. */
  readonly readAhead?: ReadAhead | undefined
  /** Has the fields of the key's cause. */
  readonly logger: Log
  /** Origin of the key, for the recording. */
  readonly message?: MessageOrigin | undefined
}

/** Attempts at one key, which share unchanged Pods, and the names that others use. */
export interface ServiceSync {
  fullSync(purpose: Purpose): Promise<SyncResult>
  /** Syncs what the hint names; returns why a full sync is needed if nothing was written. */
  hintedSync(hint: SyncHint): Promise<SyncResult | FullSyncReason>
  /** Reports whether what a full sync saw is still so. Call it after a write. */
  verify(inputs: SyncInputs): Promise<boolean>
}

/**
 * The syncs of Services, built once for all keys. A full sync takes these steps:
 * 1. Read the slices and then the Service; with {@link AheadReads} what follows as well.
 * 2. Select: what the Service asks for, by its mode and annotations.
 * 3. Read its pods and nodes, and plan.
 * 4. Guard: decide which part of the plan may be written.
 * 5. Write.
 * 6. Report to people.
 * For a Service that is managed, {@link syncManaged} does 3, and for one whose slices mirror Endpoints
 * syncMirrored(); publishPlan() does 4 to 6 of both. A hinted sync does 1 to 3 in
 * {@link syncHintedPods}, and goes on with 5 unless a guard would block its part of the plan.
 * @throws KubernetesError when a read failed: no plan is made of a partial read
 * @throws SliceWriteError when writes failed for other reasons than a conflict
 */
export class ServiceSyncs {
  readonly #options: ServiceSyncsOptions
  readonly #owners: OwnerReader
  /** Loaded with the first Service that it concerns: few clusters have any. */
  readonly #mirrored = once(() => import('./sync-mirrored.ts'))

  constructor(options: ServiceSyncsOptions) {
    this.#options = options
    this.#owners = new OwnerReader(options.guards.now)
  }

  of(key: KeyMessage, context: KeyContext): ServiceSync {
    const sync = this.#begin(key, context)
    const { managedBy } = this.#options.settings
    const { client } = sync.home
    const verifying = { client, owners: this.#owners, key, managedBy, signal: context.signal }
    return {
      fullSync: async (purpose) => {
        const { readAhead } = sync
        const result = await this.#fullSync(sync, purpose)
        // The slices may have come from the API server's cache, even where Pods did not.
        return { ...(readAhead && { podsVersion: readAhead.slicesVersion }), ...result }
      },
      hintedSync: (hint) => this.#hintedSync(sync, hint),
      verify: async (inputs) =>
        (key.relayVerifies === true && inputs.isVerifiable === true) || verify(inputs, verifying),
    }
  }

  #begin(
    key: KeyMessage,
    { sentAgoMs, notOlderThan, readAhead, logger, message, beforeMore, signal }: KeyContext,
  ): KeySync {
    const { clusterOf, settings, guards, cache } = this.#options
    const home = clusterOf(key.cluster)
    const { client } = home
    const { cluster, nodesVersion, history } = key
    const ofNodes = { cluster, nodesVersion, history, sentAgoMs }
    const permissions = permissionsOf(cluster, settings)
    const recorder = this.#recorderOf(key)
    const writing = { key, slices: createSliceClient(client, signal), cache, recorder, message, logger }
    return {
      ...{ key, home, settings, guards, cache },
      select: (service) => selectionOf(service, settings.mode, permissions),
      endpoints: new EndpointReader({ ...ofNodes, clusterOf, beforeMore, signal }),
      reporter: new Reporter({ client, key, settings, guards, logger, signal }),
      writer: new PlanWriter({ ...writing, writer: guards.writer }),
      beforeMore,
      signal,
      firstVersion: notOlderThan,
      // The relay verifies the writer of a slice that a cache did not have yet.
      readAhead: key.relayVerifies ? readAhead : undefined,
    }
  }

  #recorderOf(key: KeyMessage): Recorder | undefined {
    const { recorder } = this.#options
    return recorder?.records(key) ? recorder : undefined
  }

  async #fullSync(sync: KeySync, purpose: Purpose): Promise<SyncResult> {
    const { key, writer, select } = sync
    const { settings, cache, guards } = this.#options
    const cached = cache.take(key, sync.readAhead)
    // 1.
    const ahead =
      sync.readAhead &&
      new AheadReads(sync.readAhead, { ...sync, owners: this.#owners, ...cached, now: guards.now() })
    const state = await this.#readState(sync, ahead)
    const { service } = state
    const isManaged = ({ metadata }: EndpointSlice): boolean =>
      metadata?.labels?.[LABEL_MANAGED_BY] === settings.managedBy
    const slices = state.slices.filter(isManaged)
    this.#recorderOf(key)?.saw(key, slices)
    for (const { metadata } of slices) writer.takenNames.delete(metadata?.name ?? '')
    const notOlderThan = minimumResourceVersion(sync.firstVersion, versionsOf(slices).values())
    Object.assign(sync, { firstVersion: undefined, readAhead: undefined })
    if (service === undefined) return removeSlices(sync, { slices: slices.filter(goesWithService), purpose })
    if (isNativeSelector(service)) {
      const isClaimed = foreignSlicesOf(service, state.slices, isManaged).length > 0
      const given = { service, slices: slices.filter(isOurs), purpose }
      if (isClaimed) return leaveSlices(sync, { ...given, everybodys: state.slices })
      if (this.#awaitsClaim(sync, given)) return { ...NOTHING_WRITTEN, isTakenOver: true }
    }
    // 2.
    const selection = select(service)
    switch (selection.kind) {
      case 'managed':
      case 'sourced':
        return syncManaged(sync, { service, selection, slices, notOlderThan, ahead }, purpose)
      case 'mirrored':
        return (await this.#mirrored()).syncMirrored(
          sync,
          { service, selection, slices: state.slices },
          purpose,
        )
      case 'unmanaged':
        if (settings.mirrorEndpoints && slices.some((slice) => isMirror(slice) && isOurs(slice)))
          return (await this.#mirrored()).syncMirrored(sync, { service, selection, slices }, purpose)
        return leftoversOf(selection, settings.leftovers) === 'keep'
          ? NOTHING_WRITTEN
          : giveUpSlices(sync, { service, slices: slices.filter(isOurs), purpose })
      case 'paused':
      case 'invalid':
        return syncUnwritten(sync, selection, { service, slices, purpose })
    }
  }

  #readState(sync: KeySync, ahead: AheadReads | undefined): Promise<ServiceState> {
    const { client } = sync.home
    // Slices of an EndpointSelector by others show who reconciles it.
    const managers = sync.key.ownerKind === undefined ? { managers: managersOf(this.#options.settings) } : {}
    return readState({ ...sync, client, owners: this.#owners, ahead, ...managers })
  }

  /**
   * Reports whether another controller may be about to publish an EndpointSelector of the API server that has
   * no slices yet: discovery does not show it.
   */
  #awaitsClaim(sync: KeySync, { service, slices, purpose }: Required<Given>): boolean {
    const { client } = sync.home
    const isOwned = slices.some((slice) => ownerOfKind(service.kind).owns(slice, service))
    if (isOwned || purpose !== 'write' || this.#owners.areUnclaimed(client)) return false
    if (sync.hasWaited) this.#owners.noteUnclaimed(client)
    const isFirst = !sync.hasWaited
    sync.hasWaited = true
    return isFirst
  }

  async #hintedSync(sync: KeySync, hint: SyncHint): Promise<SyncResult | FullSyncReason> {
    const { key, cache, reporter, writer } = sync
    try {
      const { service, slices, planned, findings, byFacts, ...read } = await syncHintedPods(hint, {
        ...sync,
        owners: this.#owners,
      })
      reporter.skipped(planned.skipped)
      const basis = { kind: 'plan', service, ...read, skipped: planned.skipped } as const
      const result = await writer.write(planned, { isSealed: true, read: slices, basis, sync: 'hint' })
      if (result.conflict !== undefined) return result
      cache.keep(key, stateAfter(service, slices, result), byFacts)
      const guarded = { changes: planned, findings, fights: [] }
      const summary = await reporter.guarded(service, planned, guarded)
      return { ...result, planned: partSummary(service, planned), guarded: summary }
    } catch (error) {
      if (error instanceof FullSyncRequired) return error.fullSyncReason
      throw error
    }
  }
}
