import { ENDPOINT_SLICES, PODS } from '../../shared/kubernetes/index.ts'
import type { Call } from './calls.ts'
import type { Stored } from './stored-objects.ts'

/** The objects of a kind as they were from a version on, for API servers whose caches lag. */
export interface Snapshot {
  readonly revision: number
  readonly objects: ReadonlyMap<string, Stored>
}

/** What the caches of an API server may still show. */
export interface Snapshots {
  /** Of Pods. */
  readonly snapshots: readonly Snapshot[]
  /** Of slices, where workers may read them from a cache; empty where they do not. */
  readonly sliceSnapshots: readonly Snapshot[]
}

export const snapshotsOf = (cluster: Snapshots, plural: string): readonly Snapshot[] =>
  plural === ENDPOINT_SLICES.plural ? cluster.sliceSnapshots : cluster.snapshots

/**
 * Returns how new a list may be: the snapshots, by index, from which an API server may answer. A read without
 * a minimum resource version gets the newest. One with a version gets any snapshot that holds at that version
 * or after it, as caches lag by any amount.
 */
export function viewsFor(cluster: Snapshots, call: Call): readonly number[] {
  if (call.verb !== 'list' && call.verb !== 'get') return [cluster.snapshots.length - 1]
  const snapshots = snapshotsOf(cluster, call.plural)
  const newest = snapshots.length - 1
  const isCached = call.plural === PODS.plural || call.plural === ENDPOINT_SLICES.plural
  if (!isCached || call.notOlderThan === undefined || newest < 0) return [newest]
  const minimum = Number(call.notOlderThan)
  const first = snapshots.findLastIndex(({ revision }) => revision <= minimum)
  return Array.from({ length: newest - first + 1 }, (_, lag) => newest - lag)
}
