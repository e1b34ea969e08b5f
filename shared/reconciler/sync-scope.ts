import { HINTED_SLICES, type Hint } from '../changes/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import type { FullSyncReason } from './sync/index.ts'
import type { Purpose } from './sync-result.ts'
import type { VerifyResult } from './verify-after-write.ts'
import type { Unverified } from './verify-result.ts'

/** Scope of a sync: where a hint says, or the whole Service if there is no hint or it does not suffice. */
export interface Scope {
  readonly hint?: Hint
  /** Reason for a full sync. */
  readonly fullSyncReason?: FullSyncReason
  readonly purpose: Purpose
}

/**
 * Returns the scope of the first sync. An earlier receiver of the message may have died between a write and
 * its verification: then the hint does not suffice, and a failed audit is mended without counting.
 */
export function firstScope({ hint, audit }: KeyMessage, receiveCount: number): Scope {
  if (hint !== undefined && receiveCount === 1) return { hint, purpose: 'write' }
  return { fullSyncReason: 'NoHint', purpose: audit && receiveCount === 1 ? 'audit' : 'write' }
}

/** Returns the scope of the next sync: the same place, and where somebody else has put some of the Pods. */
export function nextScope({ hint, fullSyncReason }: Scope, verification: VerifyResult | Unverified): Scope {
  const slices = new Set(hint?.slices).union(
    new Set(verification.kind === 'elsewhere' ? verification.slices : []),
  )
  if (hint === undefined || verification.kind === 'contended' || slices.size > HINTED_SLICES)
    return {
      fullSyncReason: fullSyncReason ?? 'Contention',
      purpose: verification.kind === 'unverified' ? 'compare' : 'write',
    }
  // What the relay had seen is older than what was written meanwhile.
  const { sliceVersions: _versions, facts: _facts, ...places } = hint
  return { hint: { ...places, slices: [...slices] }, purpose: 'write' }
}
