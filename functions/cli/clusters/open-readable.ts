import { type ClusterConnection, createApiClient } from '../../../shared/kubernetes/index.ts'
import { createNodeReader, type ReadableCluster, readOnlyClient } from '../../../shared/reconciler/index.ts'

/** Opens a cluster for a command that only reads. Its client is to be closed. */
export function openReadable(
  connection: ClusterConnection,
  options: { readonly timeoutMs?: number } = {},
): ReadableCluster {
  const client = readOnlyClient(createApiClient(connection, { ...options, role: 'read-only' }))
  return { client, nodes: createNodeReader(client) }
}
