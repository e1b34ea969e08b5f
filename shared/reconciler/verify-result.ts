import type { KeyMessage } from '../queue/index.ts'
import { hasWritten, isPart } from './reconcile-outcome.ts'
import type { ServiceSync } from './sync/sync-service.ts'
import type { SyncResult } from './sync-result.ts'
import { needsList, type SyncInputs, type VerifyResult } from './verify-after-write.ts'

/** Another sync is needed to find out whether what was read is unchanged. */
export interface Unverified {
  readonly kind: 'unverified'
}

/**
 * Result of verifying an attempt: whether what it wrote is right, and otherwise what the next one must
 * read.
 */
export async function verifyResult(
  attempt: ServiceSync,
  key: KeyMessage,
  result: SyncResult,
): Promise<VerifyResult | Unverified> {
  const unfinished = unfinishedResult(result)
  if (unfinished !== undefined) return unfinished
  const { inputs } = result
  // The relay verifies what was made of Pods.
  const isOfPods = result.planned !== undefined && inputs?.endpoints === undefined
  if (key.relayVerifies && isOfPods) return verifyCreated(attempt, inputs)
  const isWritten = hasWritten(result)
  const isOpen = isWritten || (inputs?.unread !== undefined && needsList(inputs.unread))
  if (!isOpen) return { kind: 'unchanged' }
  return inputs === undefined ? { kind: 'unverified' } : attempt.verify(inputs, isWritten)
}

/**
 * Verifies slices that were created. The relay verifies what was made of Pods, but not that a slice without
 * any is one too many.
 */
async function verifyCreated(attempt: ServiceSync, inputs: SyncInputs | undefined): Promise<VerifyResult> {
  const { unread } = inputs ?? {}
  if (inputs === undefined || !unread?.hasCreated) return { kind: 'unchanged' }
  return attempt.verify({ ...inputs, unread: { ...unread, pods: new Set() } }, false)
}

/** Returns the result of an attempt that another one must follow, whatever has changed. */
function unfinishedResult(result: SyncResult): VerifyResult | undefined {
  // What was written before a conflict the next sync would find there, and not ask whether it stands
  // elsewhere, too.
  if (result.conflict !== undefined) return { kind: hasWritten(result) ? 'contended' : 'changed' }
  const isReleased = hasWritten(result) && result.guarded?.isReleased === true
  return result.outdated !== undefined || isPart(result) || isReleased ? { kind: 'changed' } : undefined
}
