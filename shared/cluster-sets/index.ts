export {
  type ClusterSet,
  type ClusterSetMember,
  clusterSetIn,
  clusterSetOf,
  exportsServices,
  findSet,
  fleetKey,
  holdsImports,
  importsServices,
  membersDigest,
} from './cluster-set.ts'
export { clusterSetProblems, resolveClusterSets } from './resolve-cluster-sets.ts'
