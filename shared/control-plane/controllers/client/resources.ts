import type { Resource } from '../../../kubernetes/index.ts'

const core = (plural: string, kind: string, namespaced = true): Resource => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced,
})

export const CONFIG_MAPS = core('configmaps', 'ConfigMap')
export const NAMESPACES = core('namespaces', 'Namespace', false)
export const RESOURCE_QUOTAS = core('resourcequotas', 'ResourceQuota')
export const SECRETS = core('secrets', 'Secret')
export const SERVICE_ACCOUNTS = core('serviceaccounts', 'ServiceAccount')
export const CLUSTER_ROLES: Resource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
}
