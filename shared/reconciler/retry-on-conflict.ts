import { HINTED_SLICES, type SyncHint } from '../changes/index.ts'
import { KubernetesError } from '../kubernetes/index.ts'
import type { KeyMessage } from '../queue/index.ts'
import { auditSync } from './audit-sync.ts'
import type { SyncRecord } from './recently-synced.ts'
import { addAttempt, hasWritten, type ReconcileOutcome } from './reconcile-outcome.ts'
import type { FullSyncReason } from './sync/sync-hinted-pods.ts'
import type { ServiceSync } from './sync/sync-service.ts'
import type { AuditResult, Purpose, SyncResult } from './sync-result.ts'
import { needsList, type SyncInputs, type VerifyResult } from './verify-after-write.ts'
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
    const verification = await verifyResult(attempt, key, synced)
    if (verification.kind === 'unchanged') {
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
): Promise<AuditResult | FullSyncReason> {
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
 * Returns the scope of the first sync. An earlier receiver of the message may have died between a write and
 * its verification: then the hint does not suffice, and a failed audit is mended without counting.
 */
export function firstScope({ hint, audit }: KeyMessage, receiveCount: number): Scope {
  if (hint !== undefined && receiveCount === 1) return { hint, purpose: 'write' }
  return { fullSyncReason: 'NoHint', purpose: audit && receiveCount === 1 ? 'audit' : 'write' }
}

/** Returns the scope of the next sync: the same slices, and those into which another writer put the Pods. */
export function nextScope({ hint, fullSyncReason }: Scope, verification: VerifyResult): Scope {
  const slices = new Set(hint?.slices).union(
    new Set(verification.kind === 'elsewhere' ? verification.slices : []),
  )
  if (hint === undefined || verification.kind === 'contended' || slices.size > HINTED_SLICES)
    return {
      fullSyncReason: fullSyncReason ?? 'Contention',
      purpose: verification.kind === 'unverified' ? 'compare' : 'write',
    }
  // The versions of the hint are older than what was written meanwhile.
  const { sliceVersions: _versions, facts: _facts, ...places } = hint
  return { hint: { ...places, slices: [...slices] }, purpose: 'write' }
}

/**
 * Result of verifying an attempt: whether what it wrote is right, and otherwise what the next one must
 * read.
 */
export async function verifyResult(
  attempt: ServiceSync,
  key: KeyMessage,
  result: SyncResult,
): Promise<VerifyResult> {
  const unfinished = unfinishedResult(result)
  if (unfinished !== undefined) return unfinished
  const { inputs } = result
  if (key.relayVerifies && inputs?.isVerifiable) return verifyCreated(attempt, inputs)
  const isWritten = hasWritten(result)
  const isOpen = isWritten || (inputs?.unread !== undefined && needsList(inputs.unread))
  if (!isOpen) return { kind: 'unchanged' }
  return inputs === undefined ? { kind: 'unverified' } : attempt.verify(inputs, isWritten)
}

/**
 * Verifies slices that were created. The relay verifies what was made of Pods, but not that a slice without
 * any is one too many.
 */
async function verifyCreated(attempt: ServiceSync, inputs: SyncInputs): Promise<VerifyResult> {
  const { unread } = inputs
  if (!unread?.hasCreated) return { kind: 'unchanged' }
  return attempt.verify({ ...inputs, unread: { ...unread, pods: new Set() } }, false)
}

/** Returns the result of an attempt that another one must follow, whatever has changed. */
function unfinishedResult(result: SyncResult): VerifyResult | undefined {
  // What was written before a conflict the next sync would find there, and not ask whether it stands
  // elsewhere, too.
  if (result.conflict !== undefined) return { kind: hasWritten(result) ? 'contended' : 'changed' }
  const isReleased = hasWritten(result) && result.guarded?.isReleased === true
  return result.outdated !== undefined || isReleased ? { kind: 'changed' } : undefined
}
