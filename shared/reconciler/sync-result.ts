import type { ApplyResult, PlanStats } from '../endpointslice/index.ts'
import type { SliceFightError } from './guards/fights/fights.ts'
import type { GuardSummary } from './guards/guard.ts'
import type { SyncInputs } from './verify-after-write.ts'

/** Plan of one sync of a managed Service, in numbers. */
export interface SyncPlan {
  /** Over all address types; upstream's gauges count one family of a dual-stack Service only. */
  readonly stats: PlanStats
  readonly topology: 'Auto' | 'Disabled'
  /** `spec.trafficDistribution` where it takes effect, otherwise empty. */
  readonly trafficDistribution: string
  /** Set if only some Pods were synced: `endpointsDesired` is a difference, and slices are not counted. */
  readonly isPart?: true
}

/** Writes of a sync, and the plan of a Service that is managed. */
export interface SyncResult extends ApplyResult {
  readonly planned?: SyncPlan
  readonly guarded?: GuardSummary
  /** Others may be about to publish what we shall give up: another sync follows after a moment. */
  readonly isTakenOver?: true
  /** There is something to write, which was not allowed; with the versions that the slices had. */
  readonly outdated?: ReadonlyMap<string, string>
  /** Version of the Pods and slices that were read, if they need not be the newest. */
  readonly podsVersion?: string
  /** Objects that the sync was made of. Absent: another sync must find out whether they have changed. */
  readonly inputs?: SyncInputs
  /** Of the audit: slices had to be written, and no message for them was on its way. */
  readonly isFinding?: true
  /** Slices were left alone. The key fails with it once all else is written. */
  readonly fight?: SliceFightError
}

/** Whether a sync writes, reports the same without writing, or only says if there is something to write. */
export type Purpose = 'write' | 'audit' | 'compare'
