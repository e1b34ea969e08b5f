import { type KeyText, keyText } from '../../shared/changes/index.ts'
import type { ApplyResult } from '../../shared/endpointslice/index.ts'
import { type ApiClient, KubernetesError } from '../../shared/kubernetes/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import { withFields } from '../../shared/telemetry/index.ts'
import { type AttemptOptions, type AttemptResult, createAttempt } from './attempt.ts'
import { type Clock, systemClock } from './clock.ts'
import type { ReadableCluster } from './clusters.ts'
import { createGuards } from './guards/index.ts'
import type { Reconcile } from './handler.ts'
import { createNodeReader, type NodeReader } from './node-reader.ts'
import type { PlanSummary } from './plan-service.ts'
import { createRecentLooks } from './recent-looks.ts'
import type { GuardSummary } from './reporter.ts'
import { type Compared, createShadowReconciler } from './shadow/index.ts'
import { createSharedRuns, type SharedRun } from './shared-runs.ts'

export interface ReconcilerOptions extends Pick<AttemptOptions, 'logger'> {
  /** `shadow` (default false): compare only, and write nothing. */
  readonly settings: AttemptOptions['settings'] & Partial<Pick<Settings, 'shadow'>>
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
  /** How often it was read and planned: once if there was nothing to write. */
  readonly attempts: number
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
/** Two workers that collide do not try again in step: each waits up to so many milliseconds, more each time. */
const JITTER_MS = 50

/**
 * Brings one Service's slices up to date from what its API server says now and nothing else.
 *
 * Whoever writes looks again afterwards, until there is nothing to write. Conflicts alone do not keep a slow worker from
 * writing what it saw long ago: another one that saw newer pods may have found everything right and written nothing, and a
 * create collides only with one of the same name. Where another run of the key waits in this process, that one looks again.
 * What changed again meanwhile is not written at once: a busy Service is written once a coalescing window, as the relay sends it.
 */
export function createReconciler({
  clientOf,
  settings,
  logger,
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
  const runs = createSharedRuns<KeyText>()
  const looks = createRecentLooks<KeyText>(clock.now)
  const guards = createGuards(settings, clock.now)

  async function reconcile(
    key: KeyMessage,
    {
      isAwaited,
      ...options
    }: Pick<SharedRun, 'isAwaited'> & Pick<AttemptOptions, 'floor' | 'signal' | 'logger'>,
  ): Promise<void> {
    const { signal } = options
    signal.throwIfAborted()
    const attempt = createAttempt({ clusterOf, key, settings, guards, ...options })
    let outcome: ReconcileOutcome = { key, created: 0, updated: 0, deleted: 0, attempts: 0 }
    let mayWrite = true
    const countTry = createTryCount()
    let tries = 0
    while (tries < ATTEMPTS) {
      const began = clock.now()
      const result = await attempt(mayWrite)
      outcome = addAttempt(outcome, result)
      tries = countTry(result)
      const isDone = isAwaited() || !(hasWritten(result) || result.isOutdated)
      if (result.conflict === undefined && isDone) {
        looks.remember(keyText(key), { began, podsVersion: result.podsVersion })
        onReconciled?.(outcome)
        return
      }
      const pauseMs = pauseAfter(result, outcome.attempts)
      if (pauseMs > 0) await clock.pause(pauseMs, signal)
      mayWrite = result.conflict !== undefined || !hasWritten(result) || isPart(result)
    }
    throw new PersistentConflictError(
      `failed to reconcile Service ${key.namespace}/${key.service} of cluster ${key.cluster}: its slices or endpoints changed during each of ${ATTEMPTS} attempts`,
    )
  }

  function pauseAfter(result: AttemptResult, attempts: number): number {
    if (result.conflict !== undefined) return Math.random() * JITTER_MS * attempts
    return result.isOutdated || isPart(result) ? settings.coalescingWindow * 1000 : 0
  }

  return async (key, { signal, sentTimestamp, receiveCount }) => {
    const { resourceVersion } = key
    if (looks.cover(keyText(key), { sentTimestamp, receiveCount, resourceVersion })) return
    try {
      await runs.run(keyText(key), ({ isAwaited, isNext }) => {
        // Whoever had the message before, or ran before, may have left something to mend that pods of its version do not show.
        const floor = receiveCount > 1 || isNext ? undefined : resourceVersion
        // One can follow a change by these: from the event, over the message, to what was written.
        const origin = {
          triggerTime: key.triggerTime,
          sentAt: timeOf(sentTimestamp),
          messageIds: key.messageIds,
        }
        return reconcile(key, { isAwaited, floor, signal, logger: withFields(logger, origin) })
      })
    } catch (error) {
      onFailed?.(key, error)
      throw error
    }
  }
}

/** Undefined where the queue tells no time that a date can be made of. */
function timeOf(milliseconds: number): string | undefined {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** All parts of a plan that is written in several are one try, as long as each of them brings it forward. */
function createTryCount(): (result: AttemptResult) => number {
  let tries = 0
  let left = Number.POSITIVE_INFINITY
  return (result) => {
    const isStep = isPart(result) && postponedOf(result) < left
    left = postponedOf(result)
    if (!isStep) tries++
    return tries
  }
}

function addAttempt(before: ReconcileOutcome, result: AttemptResult): ReconcileOutcome {
  const planned = result.conflict === undefined ? addPlans(before.planned, result.planned) : before.planned
  const guarded = result.guarded ?? before.guarded
  return {
    key: before.key,
    created: before.created + result.created.length,
    updated: before.updated + result.updated.length,
    deleted: before.deleted + result.deleted.length,
    attempts: before.attempts + 1,
    ...(planned && { planned }),
    ...(guarded && { guarded }),
  }
}

/** The later plan's words on what shall be, and both plans' endpoints added and removed. */
function addPlans(before: PlanSummary | undefined, after: PlanSummary | undefined): PlanSummary | undefined {
  if (before === undefined || after === undefined) return after ?? before
  const endpointsAdded = before.stats.endpointsAdded + after.stats.endpointsAdded
  const endpointsRemoved = before.stats.endpointsRemoved + after.stats.endpointsRemoved
  return { ...after, stats: { ...after.stats, endpointsAdded, endpointsRemoved } }
}

const postponedOf = (result: AttemptResult): number => result.guarded?.postponed ?? 0

const isPart = (result: AttemptResult): boolean => hasWritten(result) && postponedOf(result) > 0

const hasWritten = ({ created, updated, deleted }: ApplyResult): boolean =>
  created.length + updated.length + deleted.length > 0
