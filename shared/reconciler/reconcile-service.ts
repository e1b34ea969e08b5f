import { type KeyText, keyFields, keyText } from '../changes/index.ts'
import type { ApiClient } from '../kubernetes/index.ts'
import type { Reconcile } from '../queue/consumer/index.ts'
import { type KeyMessage, mergeMessages } from '../queue/index.ts'
import type { Settings } from '../settings/index.ts'
import { type Log, withFields } from '../telemetry/index.ts'
import { once, SingleFlight } from '../values/index.ts'
import { createGuards } from './guards/guards.ts'
import { projectService } from './project-service.ts'
import { LongListLimit } from './read/long-list-limit.ts'
import { readableClusters } from './read/readable-cluster.ts'
import { CLOCK_TOLERANCE_MS, RecentSyncs } from './recently-synced.ts'
import type { ReconcileOutcome } from './reconcile-outcome.ts'
import { type Received, type Retried, retryOnConflict } from './retry-on-conflict.ts'
import type { Compared } from './shadow/shadow-report.ts'
import { type KeyContext, ServiceSyncs, type ServiceSyncsOptions } from './sync/sync-service.ts'
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
 *
 * A writer verifies afterwards that what it read is unchanged, and otherwise syncs again. Conflicts alone
 * do not keep a slow worker from writing old state: another one that read newer pods may have found
 * everything right and written nothing, and a create collides only with one of the same name.
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
    return ofOwnKinds(async (key, context) => (await shadow())(key, context), settings, logger)
  }
  // Messages of one key in several batches would make each other's attempts conflict.
  const runs = new SingleFlight<KeyText, Received>(mergeReceived)
  const syncs = new RecentSyncs<KeyText>(clock.now)
  const guards = createGuards(settings, clock.now)
  const cache = new StateCache(clock.now)
  const clusterOf = readableClusters(clientOf)
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
    conclude(retried)
  }

  /** Pods alone change no projection, and without the setting one that has a plan is none. */
  const concernsProjection = ({ key, planned }: ReconcileOutcome): boolean =>
    key.ownerKind !== undefined &&
    key.hint === undefined &&
    (settings.serviceProjection === true || planned === undefined)

  function conclude({ outcome, sync }: Retried): void {
    const { isFinding, key, fullSyncReason } = outcome
    // Only a full sync has read what any other message reports.
    if (fullSyncReason !== undefined) syncs.remember(keyText(key), sync)
    if (isFinding) logger.warn(keyFields(key), 'the audit has found slices that were not right')
    onReconciled?.(outcome)
  }

  const reconcileKey: Reconcile = async (key, { signal, sentTimestamp, receiveCount }) => {
    const { resourceVersion, nodesVersion, history } = key
    // An audit is there to find what an earlier sync got wrong.
    if (
      !key.audit &&
      syncs.cover(keyText(key), { sentTimestamp, receiveCount, resourceVersion, nodesVersion, history })
    )
      return
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

  return ofOwnKinds(reconcileKey, settings, logger)
}

/** Skips keys of kinds of owners that the settings do not publish. */
const ofOwnKinds =
  (
    reconcile: Reconcile,
    { endpointSelectors }: ReconcilerOptions['settings'],
    logger: Pick<Log, 'warn'>,
  ): Reconcile =>
  async (key, context) => {
    if (key.ownerKind === undefined || endpointSelectors === true) return reconcile(key, context)
    logger.warn(
      keyFields(key),
      'this process does not publish EndpointSelectors (endpointSelectors): skipping',
    )
  }

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
