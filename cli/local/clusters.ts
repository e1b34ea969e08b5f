import { createClusterIdentities } from '../../shared/clusters/index.ts'
import { type ClusterConnection, createApiClient } from '../../shared/kubernetes/index.ts'
import { type ClusterCallLimitsOptions, limitClusterCalls } from '../../shared/reconciler/index.ts'

export type OpenClusters = ReturnType<typeof openClusters>

interface OpenClustersOptions extends Omit<ClusterCallLimitsOptions, 'cluster'> {
  /** Called when a cluster is left out, as it is followed under another name. */
  readonly onRefused?: (cluster: string, other: string) => void
}

/** Two clients per cluster share its budget of calls: the relay waits for what the function soon gives up. */
export function openClusters(
  connections: readonly ClusterConnection[],
  { onRefused, ...options }: OpenClustersOptions,
) {
  const identities = createClusterIdentities({ logger: options.logger, onRefused })
  const opened = connections.map((connection) => {
    const guarded = limitClusterCalls({ ...options, cluster: connection.name })
    return {
      guarded,
      client: identities.admit(createApiClient(connection, guarded.forRelay), connection),
      functionClient: createApiClient(connection, guarded.forFunction),
    }
  })
  return {
    identities,
    /** Clients of the relay and the audit: calls to a cluster that has another name here fail. */
    clients: opened.map(({ client }) => client),
    /** Clients of the function, by the cluster's name. */
    functionClients: new Map(opened.map(({ functionClient }) => [functionClient.cluster, functionClient])),
    readings: () => opened.map(({ guarded }) => guarded.read()),
    close(): void {
      for (const { client, functionClient } of opened)
        for (const each of [client, functionClient]) each.close()
    },
  }
}
