import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { Lane } from '../../shared/queue/index.ts'
import {
  type Compared,
  delayOf,
  type FleetSummary,
  GUARDS,
  PersistentConflictError,
  type ReconcileOutcome,
} from '../../shared/reconciler/index.ts'
import type { Dimensions, EmfMetrics } from '../../shared/telemetry/index.ts'

/** Metrics of the deployed function, beside those of {@link GUARDS}; infra/ makes alarms of these names. */
export const FUNCTION_METRICS = {
  /** Messages received, of each lane. */
  messages: 'Messages',
  /** Messages that went back to the queue, of each lane. */
  failedMessages: 'FailedMessages',
  /** Keys brought up to date, whether or not there was something to write. */
  keys: 'Keys',
  /** Keys that needed a full sync, as the hint did not suffice. */
  fullSyncs: 'FullSyncs',
  /** Keys whose sync failed, in all and by cluster. */
  failedKeys: 'FailedKeys',
  /** Keys whose slices changed during every attempt; counted among the failed ones too. */
  conflictedKeys: 'ConflictedKeys',
  /** Keys of the audit that were synced. */
  auditSyncs: 'AuditSyncs',
  /** Keys of the audit that needed a write, as the relay had missed a change. */
  auditFindings: 'AuditFindings',
  /** Number of Services of each result in shadow mode, compared with what their cluster has. */
  compared: 'ServicesCompared',
  /** Slices created. */
  slicesCreated: 'SlicesCreated',
  /** Slices updated. */
  slicesUpdated: 'SlicesUpdated',
  /** Slices deleted. */
  slicesDeleted: 'SlicesDeleted',
  /** Time from the change of an object, as Kubernetes writes it in whole seconds, to the slices written. */
  eventToApplied: 'EventToApplied',
  /** Keys of cluster sets brought up to date. */
  fleetKeys: 'FleetKeys',
  /** Syncs of keys of cluster sets whose exports differ. */
  fleetConflicts: 'FleetConflicts',
  /** Imports that syncs could not write, as others have their names or a guard holds them. */
  fleetBlocked: 'FleetBlockedImports',
  /** Exported endpoints that syncs skipped, as they are refused or malformed. */
  fleetLeftOut: 'FleetEndpointsLeftOut',
  /** Time from the change of an object in one cluster of a set to the slices written in all of them. */
  fleetEventToApplied: 'FleetEventToApplied',
  /** Bodies that were moved to the dead letters as they are no messages. */
  malformed: 'MalformedMessages',
  /** Messages that the function moved to the dead letters, in all and of each class. */
  deadLetters: 'DeadLetters',
  /** Keys given up in an outage of a cluster, of each cluster; the relay sends them again. */
  leftKeys: 'LeftKeys',
  /** Records of a recording that could not be stored in time; the slices are right without them. */
  lostRecords: 'LostRecords',
  /**
   * Parts of batches, each the keys of one cluster in one call, in all and of the function's version. Of a
   * gradual deployment alone, whose versions are compared by them.
   */
  parts: 'BatchParts',
  /** Such parts with a key that failed, in all and of the version. */
  failedParts: 'FailedBatchParts',
  /** First invocations of a new execution environment. */
  coldStarts: 'ColdStarts',
} as const

/** Dimension of what is counted for each version of the function. */
export const VERSION_DIMENSION = 'Version'

/**
 * Counts what the function does; one flush an invocation.
 * @param version of the function where new ones come gradually; default: versions are not compared
 */
export function createFunctionMetrics(emf: EmfMetrics, version?: string) {
  emf.count(FUNCTION_METRICS.coldStarts)
  /** Clusters of this call, each with whether a key of it failed. */
  const parts = new Map<string, boolean>()

  /**
   * Counts a cluster once for each call. Keys would count one call as many failures, and a version that
   * happens to get the larger batches of a broken cluster would seem worse than the other.
   */
  function countParts(ofVersion: string): void {
    const failed = [...parts.values()].filter(Boolean).length
    const sets: Dimensions[] = [{}, { [VERSION_DIMENSION]: ofVersion }]
    for (const dimensions of sets) {
      emf.count(FUNCTION_METRICS.parts, parts.size, dimensions)
      emf.count(FUNCTION_METRICS.failedParts, failed, dimensions)
    }
  }

  function fleetReconciled(
    { isInConflict, blocked, leftOut }: FleetSummary,
    seconds: number | undefined,
  ): void {
    emf.count(FUNCTION_METRICS.fleetKeys)
    emf.count(FUNCTION_METRICS.fleetConflicts, isInConflict ? 1 : 0)
    emf.count(FUNCTION_METRICS.fleetBlocked, blocked)
    emf.count(FUNCTION_METRICS.fleetLeftOut, leftOut)
    if (seconds !== undefined) emf.observe(FUNCTION_METRICS.fleetEventToApplied, 'Seconds', seconds)
  }

  function countGuarded(guarded: ReconcileOutcome['guarded']): void {
    for (const { name, alarm, metric } of GUARDS)
      if (alarm !== undefined && metric?.ofFailure === undefined)
        emf.count(alarm.metric, guarded?.acted[name] ?? 0)
  }

  return {
    handled(lane: Lane, event: SQSEvent, { batchItemFailures }: SQSBatchResponse): void {
      emf.count(FUNCTION_METRICS.messages, event.Records.length, { Lane: lane })
      emf.count(FUNCTION_METRICS.failedMessages, batchItemFailures.length, { Lane: lane })
    },
    reconciled(outcome: ReconcileOutcome): void {
      const { key, created, updated, deleted, guarded, fullSyncReason, isFinding, fleet } = outcome
      if (!parts.has(key.cluster)) parts.set(key.cluster, false)
      emf.count(FUNCTION_METRICS.keys)
      emf.count(FUNCTION_METRICS.fullSyncs, fullSyncReason === undefined ? 0 : 1)
      if (key.audit) {
        emf.count(FUNCTION_METRICS.auditSyncs)
        emf.count(FUNCTION_METRICS.auditFindings, isFinding ? 1 : 0)
      }
      countGuarded(guarded)
      emf.count(FUNCTION_METRICS.slicesCreated, created)
      emf.count(FUNCTION_METRICS.slicesUpdated, updated)
      emf.count(FUNCTION_METRICS.slicesDeleted, deleted)
      const seconds = delayOf(outcome, Date.now())
      if (seconds !== undefined) emf.observe(FUNCTION_METRICS.eventToApplied, 'Seconds', seconds)
      if (fleet !== undefined) fleetReconciled(fleet, seconds)
    },
    failed(cluster: string, error: unknown): void {
      parts.set(cluster, true)
      emf.count(FUNCTION_METRICS.failedKeys)
      emf.count(FUNCTION_METRICS.failedKeys, 1, { Cluster: cluster })
      for (const { alarm, metric } of GUARDS)
        if (alarm !== undefined && metric?.ofFailure?.(error)) emf.count(alarm.metric)
      if (error instanceof PersistentConflictError) emf.count(FUNCTION_METRICS.conflictedKeys)
    },
    compared({ result }: Pick<Compared, 'result'>): void {
      emf.count(FUNCTION_METRICS.compared, 1, { Result: result })
    },
    deadLetter(failureClass: string): void {
      emf.count(FUNCTION_METRICS.deadLetters)
      emf.count(FUNCTION_METRICS.deadLetters, 1, { Class: failureClass })
      if (failureClass === 'MalformedMessage') emf.count(FUNCTION_METRICS.malformed)
    },
    left: (cluster: string): void => emf.count(FUNCTION_METRICS.leftKeys, 1, { Cluster: cluster }),
    lostRecords: (records: number): void => emf.count(FUNCTION_METRICS.lostRecords, records),
    flush(): void {
      if (version !== undefined && parts.size > 0) countParts(version)
      parts.clear()
      emf.flush()
    },
  }
}
