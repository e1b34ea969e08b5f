import { compareVersions } from '../endpointslice/index.ts'
import type { ServiceKey } from './key.ts'

/** A key with what is known of its cause. */
export interface Change extends ServiceKey {
  /** RFC 3339: the earliest of the changes that this stands for. */
  readonly triggerTime?: string
  /**
   * The newest version of a Pod that the relay saw for the key: pods as new as that show the change. Absent when the change
   * is not one of pods of the Service's own cluster, or not known to be only that: then only the newest pods do.
   */
  readonly resourceVersion?: string
}

/** One change that stands for both: the earliest cause and the newest version, if both have one. The keys must be equal. */
export function mergeChanges(earlier: Change, later: Change): Change {
  const { cluster, namespace, service } = earlier
  const triggerTime = earliestTime(earlier.triggerTime, later.triggerTime)
  const resourceVersion = newestVersion(earlier.resourceVersion, later.resourceVersion)
  return {
    cluster,
    namespace,
    service,
    ...(triggerTime !== undefined && { triggerTime }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  }
}

function earliestTime(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Date.parse(a) <= Date.parse(b) ? a : b
}

/** Nothing where one is unknown or they are not numbers: pods that show one change need not show the other. */
function newestVersion(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return undefined
  if (compareVersions(a, b) > 0) return a
  return a === b || compareVersions(b, a) > 0 ? b : undefined
}
