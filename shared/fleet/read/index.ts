export { findServed } from './find-served.ts'
export { type CachedFleet, createFleetCache } from './fleet-cache.ts'
export { ClusterSetMemberError, createFleetMembers } from './fleet-members.ts'
export { type FleetMembers, type FleetState, type Reading, readFleet } from './fleet-state.ts'
export { type FleetKeys, listFleetKeys } from './list-fleet-keys.ts'
export type { ExportState, FleetCluster, ImportState } from './read-fleet.ts'
export {
  clusterSetProblems,
  type KnownCluster,
  resolveClusterSets,
  unknownEntries,
} from './resolve-cluster-sets.ts'
