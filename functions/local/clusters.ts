import { type ApiClient, type ClusterConnection, createApiClient } from '../../shared/kubernetes/index.ts'
import { type ClusterCallLimitsOptions, limitClusterCalls } from '../../shared/reconciler/index.ts'
import type { ClusterCallsReading } from '../../shared/telemetry/index.ts'

/**
 * Two clients a cluster, which share its budget of calls: what the function gives up soon, the relay waits
 * for.
 */
export interface OpenClusters {
  /** Clients of the relay and the resync. */
  readonly clients: readonly ApiClient[]
  /** Clients of the function, by the cluster's name. */
  readonly functionClients: ReadonlyMap<string, ApiClient>
  readonly readings: () => readonly ClusterCallsReading[]
}

export function openClusters(
  connections: readonly ClusterConnection[],
  options: Omit<ClusterCallLimitsOptions, 'cluster'>,
): OpenClusters {
  const opened = connections.map((connection) => {
    const guarded = limitClusterCalls({ ...options, cluster: connection.name })
    return {
      guarded,
      client: createApiClient(connection, guarded.forRelay),
      functionClient: createApiClient(connection, guarded.forFunction),
    }
  })
  return {
    clients: opened.map(({ client }) => client),
    functionClients: new Map(opened.map(({ functionClient }) => [functionClient.cluster, functionClient])),
    readings: () => opened.map(({ guarded }) => guarded.read()),
  }
}
