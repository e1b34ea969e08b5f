import type { KeyMessage } from '../queue/index.ts'
import { hasWritten, isPart } from './reconcile-outcome.ts'
import type { SyncResult } from './sync-result.ts'
import type { ServiceSync } from './sync-service.ts'
import { needsList, type Seen, type Verdict } from './verify-after-write.ts'

/** Only another look can tell whether what was seen is still so. */
export interface Unverified {
  readonly kind: 'unverified'
}

/** Tells whether what an attempt has written is right, and otherwise what the next one must look at. */
export async function verifyResult(
  attempt: ServiceSync,
  key: KeyMessage,
  result: SyncResult,
): Promise<Verdict | Unverified> {
  const unfinished = unfinishedVerdict(result)
  if (unfinished !== undefined) return unfinished
  const { seen } = result
  // The relay verifies what was made of Pods.
  const isOfPods = result.planned !== undefined && seen?.endpoints === undefined
  if (key.relayVerifies && isOfPods) return verifyCreated(attempt, seen)
  const isWritten = hasWritten(result)
  const isOpen = isWritten || (seen?.elsewhere !== undefined && needsList(seen.elsewhere))
  if (!isOpen) return { kind: 'unchanged' }
  return seen === undefined ? { kind: 'unverified' } : attempt.verify(seen, isWritten)
}

/**
 * Verifies slices that were created. The relay verifies what was made of Pods, but not that a slice without
 * any is one too many.
 */
async function verifyCreated(attempt: ServiceSync, seen: Seen | undefined): Promise<Verdict> {
  const { elsewhere } = seen ?? {}
  if (seen === undefined || !elsewhere?.hasCreated) return { kind: 'unchanged' }
  return attempt.verify({ ...seen, elsewhere: { ...elsewhere, pods: new Set() } }, false)
}

/** Returns the verdict on an attempt that another one must follow, whatever has changed. */
function unfinishedVerdict(result: SyncResult): Verdict | undefined {
  // What was written before a conflict the next look would find there, and not ask whether it stands
  // elsewhere, too.
  if (result.conflict !== undefined) return { kind: hasWritten(result) ? 'contended' : 'changed' }
  const isReleased = hasWritten(result) && result.guarded?.isReleased === true
  return result.outdated !== undefined || isPart(result) || isReleased ? { kind: 'changed' } : undefined
}
