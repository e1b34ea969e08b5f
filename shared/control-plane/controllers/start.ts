import type { KubeObject } from '../objects.ts'
import { type Registry, systemContext } from '../registry/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import { startClusterRoleAggregation } from './cluster-role-aggregation.ts'
import type { ContentElsewhere } from './content-elsewhere.ts'
import { GarbageCollector } from './garbage-collector.ts'
import { createSystemNamespaces, NamespaceController } from './namespace-controller.ts'
import { startPolicyStatus } from './policy-status.ts'
import { startResourceQuotas } from './resource-quota.ts'
import { startRootCaPublisher } from './root-ca-publisher.ts'
import { startTokenSecrets } from './service-account-tokens.ts'
import { startServiceAccounts } from './service-accounts.ts'

/**
 * `namespace`: empties deleted namespaces. `serviceaccount`: the account `default` of each. `serviceaccount-token`: the tokens in secrets of
 * their type. `garbage-collector`: deletes what its owners leave behind. `clusterrole-aggregation`: the rules of aggregated roles.
 * `root-ca-certificate-publisher`: the authority's certificate as a ConfigMap in every namespace. `resourcequota`: what quotas allow and
 * what is used of them. `validatingadmissionpolicy-status`: what in validating policies does not fit the types of what they are about.
 */
export type ControllerName =
  | 'namespace'
  | 'serviceaccount'
  | 'serviceaccount-token'
  | 'garbage-collector'
  | 'clusterrole-aggregation'
  | 'root-ca-certificate-publisher'
  | 'resourcequota'
  | 'validatingadmissionpolicy-status'

export const CONTROLLERS: readonly ControllerName[] = [
  'namespace',
  'serviceaccount',
  'serviceaccount-token',
  'garbage-collector',
  'clusterrole-aggregation',
  'root-ca-certificate-publisher',
  'resourcequota',
  'validatingadmissionpolicy-status',
]

export interface ControllerServices {
  readonly registry: Registry
  readonly store: ObjectStore
  /** PEM of the authority's certificate. */
  readonly certificate: string
  /** Signs a token of an account that is good as long as the secret of that name holds it. */
  readonly issueToken: (account: KubeObject, secretName: string) => Promise<string>
  readonly onError: (error: unknown) => void
  /** What other servers keep in namespaces. */
  readonly elsewhere?: ContentElsewhere | undefined
}

const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

/** Makes sure of the namespaces that every cluster has. */
export function ensureSystemNamespaces({ registry }: Pick<ControllerServices, 'registry'>): void {
  const namespaces = registry.endpoint('', 'v1', 'namespaces')
  if (namespaces === undefined) return
  createSystemNamespaces(namespaces, SYSTEM_NAMESPACES, systemContext(registry.objects, Date.now()))
}

/** Starts controllers in this process; returns the function that ends them. */
export function startControllers(names: readonly ControllerName[], services: ControllerServices): () => void {
  const ends = names.map((name) => startController(name, services))
  return () => {
    for (const end of ends) end()
  }
}

function startController(
  name: ControllerName,
  { registry, store, certificate, issueToken, onError, elsewhere }: ControllerServices,
): () => void {
  switch (name) {
    case 'namespace': {
      const controller = new NamespaceController({ registry, store, onError, elsewhere })
      controller.start()
      return () => controller.stop()
    }
    case 'serviceaccount':
      return startServiceAccounts(registry, store, onError)
    case 'serviceaccount-token':
      return startTokenSecrets({ registry, certificate, issueToken, onError })
    case 'garbage-collector': {
      const collector = new GarbageCollector(registry, store, onError)
      collector.start()
      return () => collector.stop()
    }
    case 'clusterrole-aggregation':
      return startClusterRoleAggregation(registry, onError)
    case 'root-ca-certificate-publisher':
      return startRootCaPublisher(registry, store, certificate, onError)
    case 'resourcequota':
      return startResourceQuotas(registry, onError)
    case 'validatingadmissionpolicy-status':
      return startPolicyStatus(registry, onError)
  }
}
