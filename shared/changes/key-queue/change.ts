import { newerOf } from '../versions.ts'
import type { ServiceKey } from './key.ts'
import { HINTED_PODS } from './sync-hint.ts'

/** A key with what is known of its cause. */
export interface Change extends ServiceKey {
  /** RFC 3339: the earliest of the changes that this stands for. */
  readonly triggerTime?: string
  /**
   * The newest version of a Pod that the relay saw for the key: pods as new as that show the change. Absent
   * when the change is not one of pods of the Service's own cluster, or not known to be only that: then only
   * the newest pods do.
   */
  readonly resourceVersion?: string
  /**
   * Names of the Pods that changed, of the Service's own namespace and cluster; at most {@link HINTED_PODS}.
   * Absent when anything else may have changed, or more of them: then a full sync is needed.
   */
  readonly pods?: readonly string[]
  /**
   * The cluster that changed, of a key that stands for several, as far as it is one alone. It decides whose
   * share of the queue the message takes, and is in no message.
   */
  readonly from?: string
  /** No traffic depends on it soon, so that it may wait for others like it. It is never in a message. */
  readonly deferrable?: true
}

/**
 * Merges two changes of one key into one that stands for both: the earliest cause, the newest version and all
 * Pods, each if both changes have one; deferrable if both are.
 */
export function mergeChanges(earlier: Change, later: Change): Change {
  const { cluster, namespace, service, ownerKind } = earlier
  return {
    ...{ cluster, namespace, service, ownerKind },
    triggerTime: earliestTime(earlier.triggerTime, later.triggerTime),
    resourceVersion: newerOf(earlier.resourceVersion, later.resourceVersion),
    pods: allPods(earlier.pods, later.pods),
    from: earlier.from === later.from ? earlier.from : undefined,
    deferrable: earlier.deferrable && later.deferrable,
  }
}

function allPods(some?: readonly string[], others?: readonly string[]): readonly string[] | undefined {
  if (some === undefined || others === undefined) return undefined
  const names = [...some]
  for (const name of others) if (!names.includes(name)) names.push(name)
  return names.length <= HINTED_PODS ? names : undefined
}

function earliestTime(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Date.parse(a) <= Date.parse(b) ? a : b
}
