import { sleepUnlessAborted } from '../../shared/kubernetes/index.ts'
import type { Local } from './local.ts'

/**
 * Milliseconds between checks: a cluster becomes unreachable by the age of its last answer, without an event.
 */
const ASK_MS = 500

/**
 * Resolves once each cluster was listed or cannot be reached for 30 s, and at least one was listed; never
 * when `signal` aborts before.
 * @returns the clusters that are missing
 */
export async function untilReady(
  { synced, health }: Pick<Local, 'synced' | 'health'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let isSynced = false
  const listed = synced.then(() => {
    isSynced = true
  })
  while (!isSynced && !signal.aborted) {
    const { ready, unreachable } = health()
    if (ready.ok && unreachable.length > 0) return unreachable
    await Promise.race([listed, sleepUnlessAborted(ASK_MS, signal)])
  }
  await listed
  return []
}
