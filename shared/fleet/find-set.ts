import type { ServiceKey } from '../changes/index.ts'
import { UnknownClusterError } from '../reconciler/index.ts'
import { type ClusterSet, clusterSetOf } from './cluster-set.ts'

/** Finds the set that a key is of. @throws UnknownClusterError */
export function findSet(sets: readonly ClusterSet[], key: ServiceKey): ClusterSet {
  const set = sets.find(({ name }) => name === clusterSetOf(key))
  if (set !== undefined) return set
  const known = sets.map(({ name }) => name).join(', ') || 'none'
  throw new UnknownClusterError(`${key.cluster} is not known; known are the cluster sets ${known}`)
}
