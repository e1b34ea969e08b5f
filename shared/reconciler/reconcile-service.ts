import {
  ENDPOINT_SELECTOR,
  isPublished,
  type KeyText,
  keyFields,
  keyText,
  otherOwner,
  type SyncHint,
  writerName,
} from '../changes/index.ts'
import { type ApiClient, KubernetesError } from '../kubernetes/index.ts'
import type { Reconcile, ReconcileContext } from '../queue/consumer/index.ts'
import { type KeyMessage, mergeMessages } from '../queue/index.ts'
import { contentDigest, type Settings } from '../settings/index.ts'
import { withFields } from '../telemetry/index.ts'
import { BoundedCache, once, SingleFlight } from '../values/index.ts'
import { auditSync } from './audit-sync.ts'
import { createGuards, LOG_INTERVAL_MS } from './guards/guards.ts'
import { projectService } from './project-service.ts'
import { LongListLimit } from './read/long-list-limit.ts'
import { readableClusters } from './read/readable-cluster.ts'
import { CLOCK_TOLERANCE_MS, RecentSyncs, type SyncRecord } from './recently-synced.ts'
import { addAttempt, hasWritten, type ReconcileOutcome } from './reconcile-outcome.ts'
import type { Compared } from './shadow/shadow-report.ts'
import type { FullSyncReason } from './sync/sync-hinted-pods.ts'
import {
  type KeyContext,
  type ServiceSync,
  ServiceSyncs,
  type ServiceSyncsOptions,
} from './sync/sync-service.ts'
import type { Purpose, SyncResult } from './sync-result.ts'
import { type WallClock, wallClock } from './wall-clock.ts'
import { StateCache } from './write/state-cache.ts'

export interface ReconcilerOptions extends Pick<KeyContext, 'logger'>, Pick<ServiceSyncsOptions, 'recorder'> {
  /** `shadow` (default false): compare only, and write nothing. */
  readonly settings: ServiceSyncsOptions['settings'] &
    Partial<Pick<Settings, 'shadow' | 'endpointSelectors' | 'serviceProjection'>>
  /** The client of a cluster by its name. @throws UnknownClusterError */
  readonly clientOf: (cluster: string) => ApiClient
  /** Called with every key that was reconciled. */
  readonly onReconciled?: (outcome: ReconcileOutcome) => void
  /** Called with every key that failed, and why; the key goes back to the queue. */
  readonly onFailed?: (key: KeyMessage, error: unknown) => void
  /** Called in shadow mode with every Service that was compared with what its cluster has. */
  readonly onCompared?: (compared: Compared) => void
  /** Default: the system's. */
  readonly clock?: WallClock
}

/**
 * Brings one Service's slices up to date from what its API server says now and nothing else: from where the
 * message's hint names, and otherwise from the whole Service.
 */
export function createReconciler({
  clientOf,
  settings,
  logger,
  recorder,
  onReconciled,
  onFailed,
  onCompared,
  clock = wallClock,
}: ReconcilerOptions): Reconcile {
  if (settings.shadow === true) {
    // Loaded with the first key: no other process starts with it.
    const shadow = once(async () => {
      const { createShadowReconciler } = await import('./shadow/shadow-reconciler.ts')
      return createShadowReconciler({ clientOf, settings, logger, clock, onCompared, onFailed })
    })
    return ofOwnKinds(async (key, context) => (await shadow())(key, context), { settings, logger, clock })
  }
  // Messages of one key in several batches would make each other's attempts conflict.
  const runs = new SingleFlight<KeyText, Received>(mergeReceived)
  const syncs = new RecentSyncs<KeyText>(clock.now)
  const guards = createGuards(settings, clock.now)
  const cache = new StateCache(clock.now)
  const clusterOf = readableClusters(clientOf, clock.now)
  const serviceSyncs = new ServiceSyncs({ clusterOf, settings, guards, cache, recorder })
  const largeSyncs = new LongListLimit()

  async function reconcile(received: Received, context: Omit<KeyContext, 'beforeMore'>): Promise<void> {
    const { key } = received
    const { signal } = context
    signal.throwIfAborted()
    using large = largeSyncs.open(key.cluster, signal)
    const attempt = serviceSyncs.of(key, { ...context, beforeMore: large.take })
    const retried = await retryOnConflict(attempt, received, { clock, signal })
    // Slices are written first: they wait for nothing that a projection may be refused.
    if (concernsProjection(retried.outcome))
      await projectService({ client: clientOf(key.cluster), key, settings, ...context })
    conclude(retried, received)
  }

  /** Pods alone change no projection, and without the setting one that has a plan is none. */
  const concernsProjection = ({ key, planned }: ReconcileOutcome): boolean =>
    key.ownerKind === ENDPOINT_SELECTOR &&
    key.hint === undefined &&
    (settings.serviceProjection === true || planned === undefined)

  function conclude({ outcome, ...retried }: Retried, { key, sentTimestamp }: Received): void {
    const { nodesVersion, history } = key
    // Without a version, Nodes may have been cached since the message was sent.
    const began = nodesVersion === undefined ? Math.min(retried.began, sentTimestamp) : retried.began
    // Only a full sync has read what any other message reports.
    if (outcome.fullSyncReason !== undefined)
      syncs.remember(keyText(key), { ...retried, began, nodesVersion, history })
    if (outcome.isFinding) logger.warn(keyFields(key), 'the audit has found slices that were not right')
    onReconciled?.(outcome)
  }

  const reconcileKey: Reconcile = async (key, { signal, sentTimestamp, receiveCount }) => {
    // An audit is there to find what an earlier sync got wrong.
    if (!key.audit && syncs.cover(keyText(key), { ...key, sentTimestamp, receiveCount })) return
    try {
      const own = { key, receiveCount, sentTimestamp, messageIds: key.messageIds }
      await runs.run(keyText(key), own, (received, { isNext }) => {
        // An earlier attempt may have written from older Pods: read the newest. Pods of its
        // version do not show.
        const isFirst = received.receiveCount === 1 && !isNext
        const { resourceVersion: notOlderThan, readAhead } = isFirst ? received.key : {}
        // One can follow a change by these: from the event, over the message, to what was written.
        const { messageIds } = received
        const sentAt = timeOf(received.sentTimestamp)
        const origin = { triggerTime: received.key.triggerTime, sentAt, messageIds }
        const message = { ids: messageIds, ...(sentAt && { sentAt }), receiveCount: received.receiveCount }
        // One that comes again stands for later ones, which were dropped in an outage.
        const sentAgoMs =
          received.receiveCount === 1 ? clock.now() - received.sentTimestamp - CLOCK_TOLERANCE_MS : 0
        return reconcile(received, {
          notOlderThan,
          readAhead,
          sentAgoMs,
          signal,
          logger: withFields(logger, origin),
          message,
        })
      })
    } catch (error) {
      onFailed?.(key, error)
      throw error
    }
  }

  return ofOwnKinds(reconcileKey, { settings, logger, clock })
}

/**
 * Skips keys of kinds of owners that the settings do not publish. Warns of relays with other settings, which
 * share a queue with this process: each key goes to one of those that do, and is published by its settings.
 */
function ofOwnKinds(
  reconcile: Reconcile,
  { settings, logger, clock }: Pick<ReconcilerOptions, 'settings' | 'logger'> & { readonly clock: WallClock },
): Reconcile {
  const own = writerName(contentDigest(settings))
  const warnedOf = new BoundedCache<string, true>({ ttlMs: LOG_INTERVAL_MS, now: clock.now })
  return async (key, context) => {
    const { ownerKind, writer = own } = key
    if (writer !== own && !warnedOf.has(writer)) {
      warnedOf.set(writer, true)
      logger.warn({ ...keyFields(key), sender: writer, writer: own }, OTHER_SETTINGS)
    }
    if (isPublished(ownerKind, settings)) return reconcile(key, context)
    const setting = otherOwner(ownerKind)?.enabledBy
    logger.warn(keyFields(key), `this process does not publish ${ownerKind}s (${setting}): skipping`)
  }
}

const OTHER_SETTINGS =
  'a relay with other settings sends keys to the queue of this process, which publishes them by its own: changes reach only the slices of one of the two; let all processes of a queue have the same settings, or one queue each'

const mergeReceived = (earlier: Received, later: Received): Received => ({
  key: mergeMessages(earlier.key, later.key),
  receiveCount: Math.max(earlier.receiveCount, later.receiveCount),
  messageIds: [...earlier.messageIds, ...later.messageIds],
  sentTimestamp: Math.max(earlier.sentTimestamp, later.sentTimestamp),
})

/** Formats a time; returns `undefined` if the queue gives a number that is no date. */
function timeOf(milliseconds: number): string | undefined {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/**
 * Maximum number of attempts; then the key goes back to the queue. New messages do not suffice: they may have
 * been reconciled just before our stale write.
 */
export const CONFLICT_ATTEMPTS = 10

/** Objects changed during each of the attempts; the key goes back to the queue. */
export class PersistentConflictError extends KubernetesError {
  override readonly name = 'PersistentConflictError'
  readonly failureClass = 'Conflict'
}

/** The in-tree controller gathers changes for 1 s before it publishes a Service that it is given. */
const TAKEOVER_MS = 3_000
const JITTER_MS = 50

/** Returns a random delay in milliseconds, so that two workers that collide do not try again in step. */
export const conflictDelayMs = (attempts: number): number => Math.random() * JITTER_MS * attempts

/** A key as the queue handed it out, with the ids of all messages that it stands for. */
interface Received extends Omit<ReconcileContext, 'signal'> {
  readonly key: KeyMessage
  readonly messageIds: readonly string[]
}

interface RetryOptions extends Pick<ReconcileContext, 'signal'> {
  readonly clock: WallClock
}

/** Result of the last attempt, which was right. */
interface Retried extends Pick<SyncRecord, 'began' | 'podsVersion'> {
  readonly outcome: ReconcileOutcome
}

/**
 * Syncs one key until what was written is still right afterwards. Conflicts alone do not keep a slow worker
 * from writing old state: another one that read newer pods may have found everything right and written
 * nothing, and a create collides only with one of the same name.
 * @throws PersistentConflictError when it never was
 * @throws SliceFightError when all is right but for slices that were left alone
 */
async function retryOnConflict(
  attempt: ServiceSync,
  { key, receiveCount }: Received,
  { clock, signal }: RetryOptions,
): Promise<Retried> {
  let scope = firstScope(key, receiveCount)
  let outcome: ReconcileOutcome = { key, created: 0, updated: 0, deleted: 0, attempts: 0 }
  let fight: SyncResult['fight']
  while (outcome.attempts < CONFLICT_ATTEMPTS) {
    const began = clock.now()
    const synced = await syncScope(attempt, scope, { clock, signal })
    if (typeof synced === 'string') {
      scope = { fullSyncReason: synced, purpose: 'write' }
      continue
    }
    if (scope.purpose !== 'compare') fight = synced.fight
    outcome = addAttempt(outcome, synced)
    const verification = await verifyResult(attempt, scope, synced)
    if (verification === 'unchanged') {
      if (fight !== undefined) throw fight
      const { podsVersion } = synced
      return { outcome: { ...outcome, fullSyncReason: scope.fullSyncReason }, began, podsVersion }
    }
    if (synced.conflict !== undefined) await clock.pause(conflictDelayMs(outcome.attempts), signal)
    scope = nextScope(scope, verification)
  }
  throw new PersistentConflictError(
    `failed to reconcile ${key.ownerKind ?? 'Service'} ${key.namespace}/${key.service} of cluster ${key.cluster}: its slices or endpoints changed during each of ${CONFLICT_ATTEMPTS} attempts`,
  )
}

async function syncScope(
  attempt: ServiceSync,
  { hint, purpose }: Scope,
  { clock, signal }: RetryOptions,
): Promise<SyncResult | FullSyncReason> {
  if (hint !== undefined) return attempt.hintedSync(hint)
  if (purpose === 'audit') return auditSync(attempt, clock, signal)
  const result = await attempt.fullSync(purpose)
  if (!result.isTakenOver) return result
  await clock.pause(TAKEOVER_MS, signal)
  return attempt.fullSync(purpose)
}

/** Scope of a sync: where a hint says, or the whole Service if there is no hint or it does not suffice. */
interface Scope {
  readonly hint?: SyncHint
  readonly fullSyncReason?: FullSyncReason
  readonly purpose: Purpose
}

/**
 * Returns the scope of the first sync. What a hinted sync writes the relay verifies, or it is no hint to
 * follow. An earlier receiver of the message may have died between a write and its verification: then the
 * hint does not suffice, and a failed audit is mended without counting.
 */
function firstScope({ hint, relayVerifies, audit }: KeyMessage, receiveCount: number): Scope {
  if (hint !== undefined && relayVerifies && receiveCount === 1) return { hint, purpose: 'write' }
  return { fullSyncReason: 'NoHint', purpose: audit && receiveCount === 1 ? 'audit' : 'write' }
}

/**
 * Whether what an attempt wrote is right. `contended`: a part of it was written, and what a hint names does
 * not show whether that stands elsewhere, too; `unverified`: another sync is needed to find out.
 */
type Verification = 'unchanged' | 'changed' | 'contended' | 'unverified'

/** Returns the scope of the sync that follows one that was not right. */
function nextScope({ hint, fullSyncReason }: Scope, verification: Verification): Scope {
  if (hint === undefined || verification === 'contended')
    return {
      fullSyncReason: fullSyncReason ?? 'Contention',
      purpose: verification === 'unverified' ? 'compare' : 'write',
    }
  // The versions of the hint are older than what was written meanwhile.
  const { sliceVersions: _versions, facts: _facts, ...places } = hint
  return { hint: places, purpose: 'write' }
}

/** Verifies an attempt: one that follows a hint is verified by the relay. */
export async function verifyResult(
  attempt: Pick<ServiceSync, 'verify'>,
  { hint }: Pick<Scope, 'hint'>,
  result: SyncResult,
): Promise<Verification> {
  const { conflict, outdated, guarded, inputs } = result
  const isWritten = hasWritten(result)
  if (conflict !== undefined) return isWritten ? 'contended' : 'changed'
  if (outdated !== undefined || (isWritten && guarded?.isReleased)) return 'changed'
  if (hint !== undefined || !isWritten) return 'unchanged'
  if (inputs === undefined) return 'unverified'
  return (await attempt.verify(inputs)) ? 'unchanged' : 'changed'
}
