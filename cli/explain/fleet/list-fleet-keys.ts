import { type Change, FLEET_MANAGED_BY, type KindIndex } from '../../../shared/changes/index.ts'
import type { ClusterSet } from '../../../shared/cluster-sets/index.ts'
import { LABEL_MANAGED_BY } from '../../../shared/endpointslice/index.ts'
import {
  createFleetIndex,
  type FleetKind,
  findServed,
  LABEL_CLUSTER_SET,
  serviceExports,
  serviceImports,
} from '../../../shared/fleet/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SLICES,
  NAMESPACES,
  type Resource,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'

interface FleetKeys {
  /** Keys of every Service that a cluster exports, or that the set has imported into one; by name. */
  readonly keys: readonly Change[]
  /** Clusters, by name, that could not be listed, and why: more Services may be behind them. */
  readonly failures: ReadonlyMap<string, unknown>
}

interface ListFleetKeysOptions {
  readonly set: ClusterSet
  readonly clientOf: (cluster: string) => ApiClient
  readonly signal: AbortSignal
}

/** Lists what makes a Service one of the set in any of its clusters, metadata only. */
export async function listFleetKeys({ set, clientOf, signal }: ListFleetKeysOptions): Promise<FleetKeys> {
  const index = createFleetIndex(set)
  const failures = new Map<string, unknown>()
  const members = [...index.members].map(async ([cluster, { kinds }]) => {
    try {
      const client = clientOf(cluster)
      await Promise.all([...kinds].map(([kind, objects]) => listKind(client, kind, objects)))
    } catch (error) {
      signal.throwIfAborted()
      failures.set(cluster, error)
    }
  })
  await Promise.all(members)
  const keys = index.keys().sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
  return { keys, failures }

  async function listKind(client: ApiClient, kind: FleetKind, { put }: KindIndex<ApiObject>): Promise<void> {
    // Undefined where the cluster does not serve the kind.
    const list = async (resource: Resource | undefined, labelSelector?: string): Promise<void> => {
      if (resource === undefined) return
      const { items } = await client.list(resource, { metadataOnly: true, signal, labelSelector })
      for (const object of items) put(object)
    }
    switch (kind) {
      case 'exports':
        return list(await findServed<ApiObject>(client, serviceExports, { signal }))
      case 'imports':
        return list(await findServed<ApiObject>(client, serviceImports, { signal }))
      case 'services':
        return list(SERVICES, `${LABEL_CLUSTER_SET}=${set.name}`)
      case 'slices':
        return list(ENDPOINT_SLICES, `${LABEL_MANAGED_BY}=${FLEET_MANAGED_BY}`)
      case 'namespaces':
        return list(NAMESPACES)
      // They make no Service one of the set.
      case 'properties':
        return undefined
    }
  }
}

const textOf = ({ namespace, service }: Change): string => `${namespace}/${service}`
