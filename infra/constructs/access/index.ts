export { AccountAccess, type AccountAccessProps } from './account-access.ts'
export {
  ClusterAccess,
  type ClusterAccessProps,
  type ClusterUser,
  kubernetesGroup,
} from './cluster-access.ts'
