export {
  type ClusterSet,
  type ClusterSetMember,
  clusterSetOf,
  exportsServices,
  findSet,
  fleetKey,
  holdsImports,
  importsServices,
  membersDigest,
  sharesNamespace,
} from './cluster-set.ts'
export { clusterSetProblems, resolveClusterSets } from './resolve-cluster-sets.ts'
