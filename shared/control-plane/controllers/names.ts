/**
 * `namespace`: empties deleted namespaces. `serviceaccount`: the account `default` of each.
 * `serviceaccount-token`: the tokens in secrets of their type. `garbage-collector`: deletes what its owners
 * leave behind. `clusterrole-aggregation`: the rules of aggregated roles. `root-ca-certificate-publisher`:
 * the authority's certificate as a ConfigMap in every namespace. `resourcequota`: what quotas allow and what
 * is used of them.
 */
export type ApiControllerName =
  | 'namespace'
  | 'serviceaccount'
  | 'serviceaccount-token'
  | 'garbage-collector'
  | 'clusterrole-aggregation'
  | 'root-ca-certificate-publisher'
  | 'resourcequota'

/**
 * Names of the controllers that may run elsewhere, and `validatingadmissionpolicy-status`. That one needs the
 * server's schemas: it finds what in validating policies does not fit the types that they are about.
 */
export type ControllerName = ApiControllerName | 'validatingadmissionpolicy-status'

export const API_CONTROLLERS: readonly ApiControllerName[] = [
  'namespace',
  'serviceaccount',
  'serviceaccount-token',
  'garbage-collector',
  'clusterrole-aggregation',
  'root-ca-certificate-publisher',
  'resourcequota',
]

export const CONTROLLERS: readonly ControllerName[] = [...API_CONTROLLERS, 'validatingadmissionpolicy-status']
