import { type Change, FLEET_MANAGED_BY, type KindIndex } from '../../changes/index.ts'
import type { ClusterSet } from '../../cluster-sets/index.ts'
import { LABEL_MANAGED_BY } from '../../endpointslice/index.ts'
import {
  type ApiClient,
  type ApiObject,
  ENDPOINT_SLICES,
  NAMESPACES,
  type Resource,
  SERVICES,
} from '../../kubernetes/index.ts'
import { createFleetIndex } from '../fleet-index/fleet-index.ts'
import type { FleetKind } from '../fleet-index/member-index.ts'
import { serviceExports, serviceImports } from '../resources.ts'
import { LABEL_CLUSTER_SET } from '../well-known.ts'
import { findServed } from './find-served.ts'

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

interface Listed {
  /** Undefined where the cluster does not serve the kind. */
  readonly resource: Resource | undefined
  readonly labelSelector?: string
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

  async function listKind(client: ApiClient, kind: FleetKind, objects: KindIndex<ApiObject>): Promise<void> {
    const { resource, labelSelector } = await listedOf(client, kind)
    if (resource === undefined) return
    const options = { metadataOnly: true, signal, ...(labelSelector && { labelSelector }) }
    for (const object of (await client.list(resource, options)).items) objects.put(object)
  }

  async function listedOf(client: ApiClient, kind: FleetKind): Promise<Listed> {
    switch (kind) {
      case 'exports':
        return { resource: await findServed<ApiObject>(client, serviceExports, { signal }) }
      case 'imports':
        return { resource: await findServed<ApiObject>(client, serviceImports, { signal }) }
      case 'services':
        return { resource: SERVICES, labelSelector: `${LABEL_CLUSTER_SET}=${set.name}` }
      case 'slices':
        return { resource: ENDPOINT_SLICES, labelSelector: `${LABEL_MANAGED_BY}=${FLEET_MANAGED_BY}` }
      case 'namespaces':
        return { resource: NAMESPACES }
      // They make no Service one of the set.
      case 'properties':
        return { resource: undefined }
    }
  }
}

const textOf = ({ namespace, service }: Change): string => `${namespace}/${service}`
