import { compareVersions } from '../endpointslice/index.ts'
import type { ServiceKey } from './key.ts'

/** A key with what is known of its cause. */
export interface Change extends ServiceKey {
  /** RFC 3339: the earliest of the changes that this stands for. */
  readonly triggerTime?: string
  /** The newest version of a Pod that the relay saw for the key. */
  readonly resourceVersion?: string
}

/** One change that stands for both: the earliest cause and the newest version. The keys must be equal. */
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

/** Of two versions that are not numbers, the later one is taken. */
function newestVersion(earlier: string | undefined, later: string | undefined): string | undefined {
  if (earlier === undefined || later === undefined) return earlier ?? later
  return compareVersions(earlier, later) > 0 ? earlier : later
}
