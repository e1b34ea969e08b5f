import type { ClusterSet } from '../../../shared/fleet/index.ts'
import { type ApiClient, createApiClient, loadClusters } from '../../../shared/kubernetes/index.ts'
import { readOnlyClient } from '../../../shared/reconciler/index.ts'
import { NO_CLUSTER_SETS, type Settings } from '../../../shared/settings/index.ts'
import type { ClustersFlags, FleetFlags } from '../options/flag-groups.ts'
import { clusterSetsOfFlags } from '../options/fleet.ts'
import { UsageError } from '../usage.ts'

/** The clusters of a set, as commands that only read have them. */
export interface OpenFleet {
  readonly set: ClusterSet
  /** Clients that cannot write, by the cluster's name. */
  readonly clientOf: (cluster: string) => ApiClient
  /** Namespace of the first context; absent where it names none. */
  readonly namespace: string | undefined
  close(): void
}

/** Long enough for a page of a large list, short enough to wait for a cluster that does not answer. */
const CALL_TIMEOUT_MS = 15_000

/**
 * Opens the clusters of the set that the flags make, or of that one of `--cluster-sets` that `--fleet` names.
 * @throws UsageError @throws KubeconfigError
 */
export async function openFleet(
  { kubeconfig, context }: ClustersFlags,
  fleet: FleetFlags,
  { clusterSets }: Settings,
): Promise<OpenFleet> {
  const connections = await loadClusters(kubeconfig, context)
  const names = connections.map(({ name }) => name)
  const set = setOf(fleet, clusterSets, names)
  const clients = new Map<string, ApiClient>()
  for (const connection of connections)
    clients.set(
      connection.name,
      readOnlyClient(createApiClient(connection, { timeoutMs: CALL_TIMEOUT_MS, role: 'read-only' })),
    )
  return {
    set,
    clientOf(cluster) {
      const client = clients.get(cluster)
      if (client === undefined) throw new Error(`cluster ${cluster} is not open`)
      return client
    },
    namespace: connections[0]?.namespace,
    close() {
      for (const client of clients.values()) client.close()
    },
  }
}

/** @throws UsageError */
function setOf(
  { fleet, ...flags }: FleetFlags,
  clusterSets: string,
  clusters: readonly string[],
): ClusterSet {
  const made = clusterSets === NO_CLUSTER_SETS ? (fleet ?? true) : undefined
  const sets = clusterSetsOfFlags({ ...flags, fleet: made }, clusterSets, clusters)
  const named = typeof fleet === 'string' ? sets.filter(({ name }) => name === fleet) : sets
  const [set, another] = named
  if (set !== undefined && another === undefined) return set
  const known = sets.map(({ name }) => name).join(', ')
  throw new UsageError(`--fleet: name one of the cluster sets: ${known}`)
}
