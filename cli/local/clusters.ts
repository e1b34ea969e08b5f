import { type ClusterIdentities, createClusterIdentities } from '../../shared/clusters/index.ts'
import { type ApiClient, type ClusterConnection, createApiClient } from '../../shared/kubernetes/index.ts'
import {
  type ClusterCallLimitsOptions,
  type ClusterCallsReading,
  limitClusterCalls,
} from '../../shared/reconciler/index.ts'

/** Two clients per cluster share its budget of calls: the relay waits for what the function soon gives up. */
export interface OpenClusters {
  readonly identities: ClusterIdentities
  /** Clients of the relay and the audit: calls to a cluster that has another name here fail. */
  readonly clients: readonly ApiClient[]
  /** Clients of the function, by the cluster's name. */
  readonly functionClients: ReadonlyMap<string, ApiClient>
  readonly readings: () => readonly ClusterCallsReading[]
  close(): void
}

interface OpenClustersOptions extends Omit<ClusterCallLimitsOptions, 'cluster'> {
  /** Called when a cluster is left out, as it is followed under another name. */
  readonly onRefused?: (cluster: string, other: string) => void
}

export function openClusters(
  connections: readonly ClusterConnection[],
  { onRefused, ...options }: OpenClustersOptions,
): OpenClusters {
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
    clients: opened.map(({ client }) => client),
    functionClients: new Map(opened.map(({ functionClient }) => [functionClient.cluster, functionClient])),
    readings: () => opened.map(({ guarded }) => guarded.read()),
    close() {
      for (const { client, functionClient } of opened)
        for (const each of [client, functionClient]) each.close()
    },
  }
}
