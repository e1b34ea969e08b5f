import type { ApplyResult } from '../endpointslice/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import type { GuardSummary } from './guards/guard.ts'
import type { FullSyncReason } from './sync/sync-hinted-pods.ts'
import type { SyncPlan, SyncResult } from './sync-result.ts'

export interface ReconcileOutcome {
  readonly key: KeyMessage
  readonly created: number
  readonly updated: number
  readonly deleted: number
  /** Number of times that the Service was read and planned. */
  readonly attempts: number
  /** Reason for a full sync; absent when a hinted sync was enough. */
  readonly fullSyncReason?: FullSyncReason
  /** The audit had to write, and no message for it was on its way. */
  readonly isFinding?: true
  /** The last plan, with all endpoints added and removed; absent if the Service is gone or unmanaged. */
  readonly planned?: SyncPlan
  /** Decisions of the guards on the last plan; absent if there was none. */
  readonly guarded?: GuardSummary
  /** Content of a Service of a cluster set; absent for one of a single cluster. */
  readonly fleet?: FleetSummary
}

export interface FleetSummary {
  /** Clusters whose exports are valid. */
  readonly exports: number
  /** Clusters that have its ServiceImport. */
  readonly imports: number
  /** Its exports differ. */
  readonly isInConflict: boolean
  /** Clusters where its import is not written, as others have its names or a guard holds it. */
  readonly blocked: number
  /** Endpoints that no cluster imports, as their addresses or other fields are refused or malformed. */
  readonly leftOut: number
}

export function addAttempt(before: ReconcileOutcome, result: SyncResult): ReconcileOutcome {
  const planned = result.conflict === undefined ? addPlans(before.planned, result.planned) : before.planned
  const guarded = addGuarded(before.guarded, result.guarded)
  return {
    ...before,
    created: before.created + result.created.length,
    updated: before.updated + result.updated.length,
    deleted: before.deleted + result.deleted.length,
    attempts: before.attempts + 1,
    isFinding: before.isFinding ?? result.isFinding,
    planned,
    guarded,
  }
}

/** A second controller that one sync has found is still there when another one has written since. */
function addGuarded(before?: GuardSummary, after?: GuardSummary): GuardSummary | undefined {
  if (before === undefined || after === undefined) return after ?? before
  const { secondController, acted } = before
  if (secondController === undefined) return after
  return {
    secondController,
    ...after,
    acted: { ...after.acted, secondController: acted.secondController ?? 1 },
  }
}

/** Adds up two plans: the desired counts of the later one, and the endpoints that both added and removed. */
function addPlans(before: SyncPlan | undefined, after: SyncPlan | undefined): SyncPlan | undefined {
  if (before === undefined || after === undefined) return after ?? before
  const endpointsAdded = before.stats.endpointsAdded + after.stats.endpointsAdded
  const endpointsRemoved = before.stats.endpointsRemoved + after.stats.endpointsRemoved
  const change = before.isPart && after.isPart ? before.stats.endpointsDesired : 0
  const endpointsDesired = after.stats.endpointsDesired + change
  return { ...after, stats: { ...after.stats, endpointsDesired, endpointsAdded, endpointsRemoved } }
}

export const hasWritten = ({ created, updated, deleted }: ApplyResult): boolean =>
  created.length + updated.length + deleted.length > 0

/** Measures a reconcile that wrote: seconds since the change that it answers, where that is known. */
export function delayOf(
  { key, created, updated, deleted }: Pick<ReconcileOutcome, 'key' | 'created' | 'updated' | 'deleted'>,
  now: number,
): number | undefined {
  if (created + updated + deleted === 0 || key.triggerTime === undefined) return undefined
  return Math.max(0, (now - Date.parse(key.triggerTime)) / 1000)
}
