import { isDeepStrictEqual } from 'node:util'
import { hasWritten } from './reconcile-outcome.ts'
import type { ServiceSync } from './sync/sync-service.ts'
import type { SyncResult } from './sync-result.ts'
import type { WallClock } from './wall-clock.ts'

/** Longer than a change takes from the cluster over relay and queue to its slices, when nothing is wrong. */
const SETTLE_MS = 10_000

/**
 * Syncs a whole Service for the audit, and separates what the relay missed from a change that is just under
 * way:
 * 1. Where there is nothing to write, everything is right. That is the rule, and takes one sync.
 * 2. Otherwise the relay's key, if there is one, gets time to be handled, and then it is synced again.
 * 3. What is still wrong is mended. It is a finding if no slice was written meanwhile: a Service that
 *    is being worked on may have changed once more.
 * A change that takes longer than 10 s, as behind a backlog or while a relay is replaced, is taken for a
 * finding.
 */
export async function auditSync(
  attempt: ServiceSync,
  clock: WallClock,
  signal: AbortSignal,
): Promise<SyncResult> {
  // 1.
  const first = await attempt.fullSync('audit')
  if (first.outdated === undefined) return first
  // 2.
  await clock.pause(SETTLE_MS, signal)
  const second = await attempt.fullSync('audit')
  if (second.outdated === undefined) return second
  // 3.
  const result = await attempt.fullSync('write')
  const isFinding = hasWritten(result) && isDeepStrictEqual(first.outdated, second.outdated)
  return isFinding ? { ...result, isFinding } : result
}
