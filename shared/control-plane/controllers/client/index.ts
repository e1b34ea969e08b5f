export {
  type ControllerClient,
  type DeletionOptions,
  type DiscoveredResources,
  type Following,
  type FollowOptions,
  isConflict,
  isNotFound,
  type ObjectChange,
  type ReadOptions,
  refOf,
  resourceKey,
  type ServedResource,
} from './controller-client.ts'
export { createLocalClients } from './local-client.ts'
export {
  CLUSTER_ROLES,
  CONFIG_MAPS,
  NAMESPACES,
  RESOURCE_QUOTAS,
  SECRETS,
  SERVICE_ACCOUNTS,
} from './resources.ts'
