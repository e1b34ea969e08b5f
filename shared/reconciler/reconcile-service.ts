import { HINTED_SLICES, type Hint, type KeyText, keyText } from '../changes/index.ts'
import type { ApplyResult } from '../endpointslice/index.ts'
import { type ApiClient, KubernetesError } from '../kubernetes/index.ts'
import type { Reconcile } from '../queue/consumer/index.ts'
import { type KeyMessage, mergeMessages } from '../queue/index.ts'
import { type Settings, windowSeconds } from '../settings/index.ts'
import { withFields } from '../telemetry/index.ts'
import { lookAsAudit } from './audit-look.ts'
import { type Clock, systemClock } from './clock.ts'
import { createGuards } from './guards/index.ts'
import { createLongListLimit } from './long-list-limit.ts'
import { createNodeReader, type NodeReader } from './node-reader.ts'
import type { PlanSummary } from './plan-service.ts'
import type { ReadableCluster } from './readable-cluster.ts'
import { createRecentSyncs, type Look } from './recently-synced.ts'
import type { GuardSummary } from './reporter.ts'
import { type Compared, createShadowReconciler } from './shadow/index.ts'
import { createSingleFlight } from './single-flight.ts'
import { createStateCache } from './state-cache.ts'
import type { Doubt } from './sync-hinted-pods.ts'
import {
  createServiceSync,
  type Purpose,
  type ServiceSync,
  type ServiceSyncOptions,
  type SyncResult,
} from './sync-service.ts'
import { needsList, type Seen, type Verdict } from './verify-seen.ts'

export interface ReconcilerOptions extends Pick<ServiceSyncOptions, 'logger' | 'recorder'> {
  /** `shadow` (default false): compare only, and write nothing. */
  readonly settings: ServiceSyncOptions['settings'] & Partial<Pick<Settings, 'shadow'>>
  /** The client of a cluster by its name. @throws UnknownClusterError */
  readonly clientOf: (cluster: string) => ApiClient
  /** Told of every key that was brought up to date. */
  readonly onReconciled?: (outcome: ReconcileOutcome) => void
  /** Told of every key that was not, and why; it goes back to the queue. */
  readonly onFailed?: (key: KeyMessage, error: unknown) => void
  /** In shadow mode: told of every Service that was compared with what its cluster has. */
  readonly onCompared?: (compared: Compared) => void
  /** Default: the system's. */
  readonly clock?: Clock
}

export interface ReconcileOutcome {
  readonly key: KeyMessage
  /** Slices written. */
  readonly created: number
  readonly updated: number
  readonly deleted: number
  /** How often it was read and planned. */
  readonly attempts: number
  /** Why the whole Service was looked at; absent when looking where the hint said did. */
  readonly doubt?: Doubt
  /** The audit has found something to write that nobody knew of. */
  readonly isFinding?: true
  /** The last plan, with the endpoints that all of them added and removed; absent when the Service is gone or not managed. */
  readonly planned?: PlanSummary
  /** What the guards made of the last plan; absent where there was none. */
  readonly guarded?: GuardSummary
}

/** The slices or the endpoints went on changing under us; the key goes back to the queue. */
export class PersistentConflictError extends KubernetesError {
  override readonly name = 'PersistentConflictError'
  readonly failureClass = 'Conflict'
}

/**
 * Read and planned so often at most; then the key goes back to the queue. It is not enough that whatever changes all the time
 * brings keys of its own: they may have been looked at just before the last write, which was of something older.
 */
const ATTEMPTS = 10
/** The in-tree controller gathers changes for 1 s before it publishes a Service that it is given. */
const TAKEOVER_MS = 3_000
/** Two workers that collide do not try again in step: each waits up to so many milliseconds, more each time. */
const JITTER_MS = 50

/**
 * Brings one Service's slices up to date from what its API server says now and nothing else: from where the message's hint
 * says that looking suffices, and in any doubt from the whole Service.
 *
 * Whoever writes verifies afterwards that what it saw is still so, and otherwise looks again. Conflicts alone do not keep a
 * slow worker from writing what it saw long ago: another one that saw newer pods may have found everything right and written
 * nothing, and a create collides only with one of the same name.
 */
export function createReconciler({
  clientOf,
  settings,
  logger,
  recorder,
  onReconciled,
  onFailed,
  onCompared,
  clock = systemClock,
}: ReconcilerOptions): Reconcile {
  if (settings.shadow === true)
    return createShadowReconciler({ clientOf, settings, logger, clock, onCompared, onFailed })
  const nodeReaders = new WeakMap<ApiClient, NodeReader>()
  const clusterOf = (name: string): ReadableCluster => {
    const client = clientOf(name)
    const nodes = nodeReaders.get(client) ?? createNodeReader(client)
    nodeReaders.set(client, nodes)
    return { client, nodes }
  }

  // Messages of one key in several batches would make each other's attempts conflict.
  const runs = createSingleFlight<KeyText, Received>(mergeReceived)
  const looks = createRecentSyncs<KeyText>(clock.now)
  const guards = createGuards(settings, clock.now)
  const kept = createStateCache(clock.now)
  const largeLooks = createLongListLimit()

  async function reconcile(
    { key, receiveCount }: Received,
    options: Pick<ServiceSyncOptions, 'floor' | 'signal' | 'logger' | 'message'>,
  ): Promise<void> {
    const { signal } = options
    signal.throwIfAborted()
    using large = largeLooks.open(key.cluster, signal)
    const attempt = createServiceSync({
      clusterOf,
      key,
      settings,
      guards,
      kept,
      recorder,
      beforeMore: large.take,
      ...options,
    })
    let scope = firstScope(key, receiveCount)
    let outcome: ReconcileOutcome = { key, created: 0, updated: 0, deleted: 0, attempts: 0 }
    const countTry = createTryCount()
    let tries = 0
    let fight: SyncResult['fight']
    while (tries < ATTEMPTS) {
      const began = clock.now()
      const looked = await look(attempt, scope, signal)
      if (typeof looked === 'string') {
        scope = { doubt: looked, purpose: 'write' }
        continue
      }
      if (scope.purpose !== 'compare') fight = looked.fight
      outcome = addAttempt(outcome, looked)
      tries = countTry(looked)
      const verdict = await judge(attempt, key, looked)
      if (verdict.kind === 'unchanged') {
        if (fight !== undefined) throw fight
        conclude(outcome, scope, { began, podsVersion: looked.podsVersion })
        return
      }
      await pauseAfter(looked, outcome.attempts, signal)
      scope = nextScope(scope, verdict)
    }
    throw new PersistentConflictError(
      `failed to reconcile Service ${key.namespace}/${key.service} of cluster ${key.cluster}: its slices or endpoints changed during each of ${ATTEMPTS} attempts`,
    )
  }

  async function look(
    attempt: ServiceSync,
    { hint, purpose }: Scope,
    signal: AbortSignal,
  ): Promise<(SyncResult & { readonly isFinding?: true }) | Doubt> {
    if (hint !== undefined) return attempt.hinted(hint)
    if (purpose !== 'audit') {
      const result = await attempt.whole(purpose)
      if (!result.isTakenOver) return result
      await clock.pause(TAKEOVER_MS, signal)
      return attempt.whole(purpose)
    }
    const { result, isFinding } = await lookAsAudit(attempt, clock, signal)
    return { ...result, ...(isFinding && { isFinding }) }
  }

  async function judge(
    attempt: ServiceSync,
    key: KeyMessage,
    result: SyncResult,
  ): Promise<Verdict | Unverified> {
    const unfinished = unfinishedVerdict(result)
    if (unfinished !== undefined) return unfinished
    const { seen } = result
    if (key.relayVerifies && result.planned !== undefined) return verifyCreated(attempt, seen)
    const isWritten = hasWritten(result)
    const isOpen = isWritten || (seen?.elsewhere !== undefined && needsList(seen.elsewhere))
    if (!isOpen) return { kind: 'unchanged' }
    return seen === undefined ? { kind: 'unverified' } : attempt.verify(seen, isWritten)
  }

  /** The relay sees what was made of Pods; that a slice without any is one too many, it does not. */
  async function verifyCreated(attempt: ServiceSync, seen: Seen | undefined): Promise<Verdict> {
    const { elsewhere } = seen ?? {}
    if (seen === undefined || !elsewhere?.hasCreated) return { kind: 'unchanged' }
    return attempt.verify({ ...seen, elsewhere: { ...elsewhere, pods: new Set() } }, false)
  }

  function conclude(outcome: ReconcileOutcome, { doubt }: Scope, look: Look): void {
    // Only a look at the whole Service has seen whatever another message may tell of.
    if (doubt !== undefined) looks.remember(keyText(outcome.key), look)
    const { isFinding, key } = outcome
    if (isFinding)
      logger.warn(
        { cluster: key.cluster, namespace: key.namespace, service: key.service },
        'the audit has found slices that were not right',
      )
    onReconciled?.({ ...outcome, ...(doubt && { doubt }) })
  }

  /** A part of a plan follows a coalescing window later, so that a large one is spread over time. */
  async function pauseAfter(result: SyncResult, attempts: number, signal: AbortSignal): Promise<void> {
    const partMs = isPart(result) ? windowSeconds(settings) * 1000 : 0
    const ms = result.conflict === undefined ? partMs : Math.random() * JITTER_MS * attempts
    if (ms > 0) await clock.pause(ms, signal)
  }

  return async (key, { signal, sentTimestamp, receiveCount }) => {
    const { resourceVersion } = key
    // An audit trusts no earlier look: that may have kept Nodes.
    if (!key.audit && looks.cover(keyText(key), { sentTimestamp, receiveCount, resourceVersion })) return
    try {
      await runs.run(keyText(key), { key, receiveCount }, (received, { isNext }) => {
        // Whoever had the message before, or ran before, may have left something to mend that pods of its version do not show.
        const floor = received.receiveCount > 1 || isNext ? undefined : received.key.resourceVersion
        // One can follow a change by these: from the event, over the message, to what was written.
        const sentAt = timeOf(sentTimestamp)
        const origin = { triggerTime: key.triggerTime, sentAt, messageIds: key.messageIds }
        const message = { ids: key.messageIds, ...(sentAt !== undefined && { sentAt }), receiveCount }
        return reconcile(received, { floor, signal, logger: withFields(logger, origin), message })
      })
    } catch (error) {
      onFailed?.(key, error)
      throw error
    }
  }
}

/** Only another look can tell whether what was seen is still so. */
interface Unverified {
  readonly kind: 'unverified'
}

/** A key as the queue handed it out. */
interface Received {
  readonly key: KeyMessage
  readonly receiveCount: number
}

const mergeReceived = (earlier: Received, later: Received): Received => ({
  key: mergeMessages(earlier.key, later.key),
  receiveCount: Math.max(earlier.receiveCount, later.receiveCount),
})

/** What is looked at: where a hint says, or for want of one or in doubt the whole Service. */
interface Scope {
  readonly hint?: Hint
  /** Why the whole Service is looked at. */
  readonly doubt?: Doubt
  readonly purpose: Purpose
}

/**
 * Whoever had a message before may have died between a write and its verification: then the hint does not suffice, and an audit
 * that failed is mended without counting.
 */
function firstScope({ hint, audit }: KeyMessage, receiveCount: number): Scope {
  if (hint !== undefined && receiveCount === 1) return { hint, purpose: 'write' }
  return { doubt: 'NoHint', purpose: audit && receiveCount === 1 ? 'audit' : 'write' }
}

/** Of an attempt that another one must follow, whatever has changed. */
function unfinishedVerdict(result: SyncResult): Verdict | undefined {
  // What was written before a conflict the next look would find there, and not ask whether it stands elsewhere, too.
  if (result.conflict !== undefined) return { kind: hasWritten(result) ? 'contended' : 'changed' }
  const isReleased = hasWritten(result) && result.guarded?.isReleased === true
  return result.outdated !== undefined || isPart(result) || isReleased ? { kind: 'changed' } : undefined
}

/** The same place again, and also where somebody else has put some of the Pods. */
function nextScope({ hint, doubt }: Scope, verdict: Verdict | Unverified): Scope {
  const slices = new Set(hint?.slices).union(new Set(verdict.kind === 'elsewhere' ? verdict.slices : []))
  if (hint === undefined || verdict.kind === 'contended' || slices.size > HINTED_SLICES)
    return { doubt: doubt ?? 'Contention', purpose: verdict.kind === 'unverified' ? 'compare' : 'write' }
  return { hint: { ...hint, slices: [...slices] }, purpose: 'write' }
}

/** Undefined where the queue tells no time that a date can be made of. */
function timeOf(milliseconds: number): string | undefined {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** All parts of a plan that is written in several are one try, as long as each of them brings it forward. */
function createTryCount(): (result: SyncResult) => number {
  let tries = 0
  let left = Number.POSITIVE_INFINITY
  return (result) => {
    const isStep = isPart(result) && postponedOf(result) < left
    left = postponedOf(result)
    if (!isStep) tries++
    return tries
  }
}

function addAttempt(
  before: ReconcileOutcome,
  result: SyncResult & { readonly isFinding?: true },
): ReconcileOutcome {
  const isRest = (before.guarded?.postponed ?? 0) > 0
  const planned =
    result.conflict === undefined ? addPlans(before.planned, result.planned, isRest) : before.planned
  const guarded = result.guarded ?? before.guarded
  return {
    ...before,
    created: before.created + result.created.length,
    updated: before.updated + result.updated.length,
    deleted: before.deleted + result.deleted.length,
    attempts: before.attempts + 1,
    ...(result.isFinding && { isFinding: true }),
    ...(planned && { planned }),
    ...(guarded && { guarded }),
  }
}

/**
 * The later plan's words on what shall be, and both plans' endpoints added and removed.
 * @param isRest the earlier plan was written in part: the later one says once more what is left of it
 */
function addPlans(
  before: PlanSummary | undefined,
  after: PlanSummary | undefined,
  isRest: boolean,
): PlanSummary | undefined {
  if (before === undefined || after === undefined) return after ?? before
  const count = (one: number, other: number): number => (isRest ? Math.max(one, other) : one + other)
  const endpointsAdded = count(before.stats.endpointsAdded, after.stats.endpointsAdded)
  const endpointsRemoved = count(before.stats.endpointsRemoved, after.stats.endpointsRemoved)
  const change = before.isPart && after.isPart ? before.stats.endpointsDesired : 0
  const endpointsDesired = after.stats.endpointsDesired + change
  return { ...after, stats: { ...after.stats, endpointsDesired, endpointsAdded, endpointsRemoved } }
}

const postponedOf = (result: SyncResult): number => result.guarded?.postponed ?? 0

const isPart = (result: SyncResult): boolean => hasWritten(result) && postponedOf(result) > 0

const hasWritten = ({ created, updated, deleted }: ApplyResult): boolean =>
  created.length + updated.length + deleted.length > 0
