export { type Aws, type ClusterTag, createAws, type EksDescription, type TaggedCluster } from './aws.ts'
export { type ClusterClients, createClusterClients, withBudget } from './clients.ts'
export {
  accountOfRole,
  type ClusterConfig,
  checkClusters,
  type DiscoveryConfig,
  EKS_NAME_PATTERN,
  type EksClusterConfig,
  parseClusters,
  type SecretClusterConfig,
} from './config.ts'
export { type ClusterDirectory, createClusterDirectory } from './directory.ts'
export { createEksToken } from './eks-token.ts'
export { ClusterAccessError, ClusterConfigError } from './errors.ts'
export { type ClusterIdentities, createClusterIdentities, SameClusterError } from './identities.ts'
