import type { ApplyResult } from '../endpointslice/index.ts'
import type { SliceFightError } from './guards/index.ts'
import type { PlanSummary } from './plan-service.ts'
import type { GuardSummary } from './reporter.ts'
import type { Seen } from './verify-after-write.ts'

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

/**
 * Whether a look writes, tells as much as one that does and only does not write, or just sees whether there
 * is something to write.
 */
export type Purpose = 'write' | 'audit' | 'compare'
