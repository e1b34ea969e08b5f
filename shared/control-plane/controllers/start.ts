import type { Resource } from '../../kubernetes/index.ts'
import type { KubeObject } from '../apimachinery/objects.ts'
import { startRootCaPublisher } from './accounts/root-ca-publisher.ts'
import { startTokenSecrets } from './accounts/service-account-tokens.ts'
import { startServiceAccounts } from './accounts/service-accounts.ts'
import type { ControllerClient } from './client/controller-client.ts'
import {
  CLUSTER_ROLES,
  CONFIG_MAPS,
  NAMESPACES,
  RESOURCE_QUOTAS,
  SECRETS,
  SERVICE_ACCOUNTS,
} from './client/resources.ts'
import { startClusterRoleAggregation } from './cluster-role-aggregation.ts'
import { GarbageCollector } from './garbage/garbage-collector.ts'
import type { ApiControllerName } from './names.ts'
import type { ContentElsewhere } from './namespaces/content-elsewhere.ts'
import { startNamespaces } from './namespaces/namespace-controller.ts'
import { startResourceQuotas } from './resource-quota.ts'

export interface ControllerServices {
  /** The API as the service account of a controller, in kube-system, uses it. */
  readonly clientOf: (account: string) => ControllerClient
  /** PEM of the authority's certificate. */
  readonly certificate: string
  /** Signs a token of an account that is good as long as the secret of that name holds it. */
  readonly issueToken: (account: KubeObject, secretName: string) => Promise<string>
  readonly onError: (error: unknown) => void
  /** Objects that other servers keep in namespaces. Default: the API shows everything. */
  readonly elsewhere?: ContentElsewhere | undefined
}

interface Controller {
  /** Name of its service account, as in upstream's RBAC policy. */
  readonly account: string
  /** Resources without which it has nothing to do. */
  readonly needs: readonly Resource[]
  start(client: ControllerClient, services: ControllerServices): () => void
}

const CONTROLLERS: Readonly<Record<ApiControllerName, Controller>> = {
  namespace: {
    account: 'namespace-controller',
    needs: [NAMESPACES],
    start: (client, { onError, elsewhere }) => startNamespaces(client, onError, elsewhere),
  },
  serviceaccount: {
    account: 'service-account-controller',
    needs: [NAMESPACES, SERVICE_ACCOUNTS],
    start: (client, { onError }) => startServiceAccounts(client, onError),
  },
  'serviceaccount-token': {
    account: 'serviceaccount-token-controller',
    needs: [SERVICE_ACCOUNTS, SECRETS],
    start: (client, services) => startTokenSecrets({ ...services, client }),
  },
  'garbage-collector': {
    account: 'generic-garbage-collector',
    needs: [],
    start(client, { onError }) {
      const collector = new GarbageCollector(client, onError)
      collector.start()
      return () => collector.stop()
    },
  },
  'clusterrole-aggregation': {
    account: 'clusterrole-aggregation-controller',
    needs: [CLUSTER_ROLES],
    start: (client, { onError }) => startClusterRoleAggregation(client, onError),
  },
  'root-ca-certificate-publisher': {
    account: 'root-ca-cert-publisher',
    needs: [NAMESPACES, CONFIG_MAPS],
    start: (client, { certificate, onError }) => startRootCaPublisher(client, certificate, onError),
  },
  resourcequota: {
    account: 'resourcequota-controller',
    needs: [RESOURCE_QUOTAS],
    start: (client, { onError }) => startResourceQuotas(client, onError),
  },
}

/** Starts controllers, but for those that the server has nothing for; returns what ends them. */
export function startControllers(
  names: readonly ApiControllerName[],
  services: ControllerServices,
): () => void {
  const ends = names.map((name) => {
    const { account, needs, start } = CONTROLLERS[name]
    const client = services.clientOf(account)
    return needs.every((resource) => client.serves(resource)) ? start(client, services) : () => undefined
  })
  return () => {
    for (const end of ends) end()
  }
}
