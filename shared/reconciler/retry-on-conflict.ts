import type { SyncHint } from '../changes/index.ts'
import { KubernetesError } from '../kubernetes/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import { auditSync } from './audit-sync.ts'
import type { SyncRecord } from './recently-synced.ts'
import { addAttempt, hasWritten, type ReconcileOutcome } from './reconcile-outcome.ts'
import type { FullSyncReason } from './sync/sync-hinted-pods.ts'
import type { ServiceSync } from './sync/sync-service.ts'
import type { Purpose, SyncResult } from './sync-result.ts'
import type { WallClock } from './wall-clock.ts'

/**
 * Maximum number of attempts; then the key goes back to the queue. New messages do not suffice: they may have
 * been reconciled just before our stale write.
 */
export const CONFLICT_ATTEMPTS = 10

/** Objects changed during each of the attempts; the key goes back to the queue. */
export class PersistentConflictError extends KubernetesError {
  override readonly name = 'PersistentConflictError'
  readonly failureClass = 'Conflict'
}

/** The in-tree controller gathers changes for 1 s before it publishes a Service that it is given. */
const TAKEOVER_MS = 3_000
const JITTER_MS = 50

/** Returns a random delay in milliseconds, so that two workers that collide do not try again in step. */
export const conflictDelayMs = (attempts: number): number => Math.random() * JITTER_MS * attempts

/** A key as the queue handed it out. */
export interface Received {
  readonly key: KeyMessage
  readonly receiveCount: number
  /** Ids of all messages that it stands for, and when the latest of them was sent. */
  readonly messageIds: readonly string[]
  readonly sentTimestamp: number
}

interface RetryOptions {
  readonly clock: WallClock
  readonly signal: AbortSignal
}

/** Result of the last attempt, which was right. */
export interface Retried {
  readonly outcome: ReconcileOutcome
  readonly sync: SyncRecord
}

/**
 * Syncs one key until what was written is still right afterwards.
 * @throws PersistentConflictError when it never was
 * @throws SliceFightError when all is right but for slices that were left alone
 */
export async function retryOnConflict(
  attempt: ServiceSync,
  { key, receiveCount, sentTimestamp }: Received,
  options: RetryOptions,
): Promise<Retried> {
  let scope = firstScope(key, receiveCount)
  let outcome: ReconcileOutcome = { key, created: 0, updated: 0, deleted: 0, attempts: 0 }
  let fight: SyncResult['fight']
  while (outcome.attempts < CONFLICT_ATTEMPTS) {
    const began = options.clock.now()
    const synced = await sync(attempt, scope, options)
    if (typeof synced === 'string') {
      scope = { fullSyncReason: synced, purpose: 'write' }
      continue
    }
    if (scope.purpose !== 'compare') fight = synced.fight
    outcome = addAttempt(outcome, synced)
    const verification = await verifyResult(attempt, scope, synced)
    if (verification === 'unchanged') {
      if (fight !== undefined) throw fight
      const { fullSyncReason } = scope
      const { podsVersion } = synced
      const { nodesVersion, history } = key
      // Without a version, Nodes may have been cached since the message was sent.
      const since = nodesVersion === undefined ? Math.min(began, sentTimestamp) : began
      const sync = { began: since, podsVersion, nodesVersion, history }
      return { outcome: { ...outcome, fullSyncReason }, sync }
    }
    await pauseAfterConflict(synced, outcome.attempts, options)
    scope = nextScope(scope, verification)
  }
  throw new PersistentConflictError(
    `failed to reconcile ${key.ownerKind ?? 'Service'} ${key.namespace}/${key.service} of cluster ${key.cluster}: its slices or endpoints changed during each of ${CONFLICT_ATTEMPTS} attempts`,
  )
}

async function sync(
  attempt: ServiceSync,
  { hint, purpose }: Scope,
  { clock, signal }: RetryOptions,
): Promise<SyncResult | FullSyncReason> {
  if (hint !== undefined) return attempt.hintedSync(hint)
  if (purpose === 'audit') return auditSync(attempt, clock, signal)
  const result = await attempt.fullSync(purpose)
  if (!result.isTakenOver) return result
  await clock.pause(TAKEOVER_MS, signal)
  return attempt.fullSync(purpose)
}

async function pauseAfterConflict(
  { conflict }: SyncResult,
  attempts: number,
  { clock, signal }: RetryOptions,
): Promise<void> {
  if (conflict !== undefined) await clock.pause(conflictDelayMs(attempts), signal)
}

/** Scope of a sync: where a hint says, or the whole Service if there is no hint or it does not suffice. */
interface Scope {
  readonly hint?: SyncHint
  readonly fullSyncReason?: FullSyncReason
  readonly purpose: Purpose
}

/**
 * Returns the scope of the first sync. What a hinted sync writes the relay verifies, or it is no hint to
 * follow. An earlier receiver of the message may have died between a write and its verification: then the
 * hint does not suffice, and a failed audit is mended without counting.
 */
export function firstScope({ hint, relayVerifies, audit }: KeyMessage, receiveCount: number): Scope {
  if (hint !== undefined && relayVerifies && receiveCount === 1) return { hint, purpose: 'write' }
  return { fullSyncReason: 'NoHint', purpose: audit && receiveCount === 1 ? 'audit' : 'write' }
}

/**
 * Whether what an attempt wrote is right. `contended`: a part of it was written, and what a hint names does
 * not show whether that stands elsewhere, too; `unverified`: another sync is needed to find out.
 */
type Verification = 'unchanged' | 'changed' | 'contended' | 'unverified'

/** Returns the scope of the sync that follows one that was not right. */
export function nextScope({ hint, fullSyncReason }: Scope, verification: Verification): Scope {
  if (hint === undefined || verification === 'contended')
    return {
      fullSyncReason: fullSyncReason ?? 'Contention',
      purpose: verification === 'unverified' ? 'compare' : 'write',
    }
  // The versions of the hint are older than what was written meanwhile.
  const { sliceVersions: _versions, facts: _facts, ...places } = hint
  return { hint: places, purpose: 'write' }
}

/** Verifies an attempt: one that follows a hint is verified by the relay. */
export async function verifyResult(
  attempt: Pick<ServiceSync, 'verify'>,
  { hint }: Pick<Scope, 'hint'>,
  result: SyncResult,
): Promise<Verification> {
  const { conflict, outdated, guarded, inputs } = result
  const isWritten = hasWritten(result)
  if (conflict !== undefined) return isWritten ? 'contended' : 'changed'
  if (outdated !== undefined || (isWritten && guarded?.isReleased)) return 'changed'
  if (hint !== undefined || !isWritten) return 'unchanged'
  if (inputs === undefined) return 'unverified'
  return (await attempt.verify(inputs)) ? 'unchanged' : 'changed'
}
