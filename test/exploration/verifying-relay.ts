import { type ClusterIndex, createClusterIndex } from '../../shared/changes/index.ts'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../shared/kubernetes/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import { ENDPOINTS_A_SLICE, MANAGED_BY, NAMESPACE, SERVICE } from './environment.ts'
import { CLUSTER } from './scenario.ts'
import { objectsOf, type SimulatedCluster } from './simulated-api.ts'

/**
 * Returns the messages of a relay that verifies what a worker has just written. They come from a real index
 * of a cluster.
 */
export function verified(before: SimulatedCluster, after: SimulatedCluster): readonly KeyMessage[] {
  const known = new Set(ours(before))
  const written = ours(after).filter((slice) => !known.has(slice))
  if (written.length === 0) return []
  const index = indexOf(before)
  const changes = written.flatMap((slice) => index.slices.put(slice))
  const key = { cluster: CLUSTER, namespace: NAMESPACE, service: SERVICE }
  return [...changes, ...index.verify(key)].map(({ pods, ...change }) => ({
    ...change,
    ...index.hints(
      { ...change, ...(pods && { pods }) },
      { maxEndpointsPerSlice: ENDPOINTS_A_SLICE, maximumEndpoints: 0 },
    ),
  }))
}

const ours = (cluster: SimulatedCluster): EndpointSlice[] =>
  objectsOf<EndpointSlice>(cluster, ENDPOINT_SLICES.plural).filter(
    ({ metadata }) => metadata?.labels?.['endpointslice.kubernetes.io/managed-by'] === MANAGED_BY,
  )

function indexOf(cluster: SimulatedCluster): ClusterIndex {
  const index = createClusterIndex(CLUSTER, 'replace')
  const version = String(cluster.revision)
  for (const kind of [index.services, index.pods, index.nodes, index.slices]) kind.listing()
  for (const service of objectsOf(cluster, SERVICES.plural)) index.services.put(service)
  for (const node of objectsOf(cluster, NODES.plural)) index.nodes.put(node)
  for (const pod of objectsOf(cluster, PODS.plural)) index.pods.put(pod)
  for (const slice of ours(cluster)) index.slices.put(slice)
  for (const kind of [index.services, index.pods, index.nodes, index.slices]) kind.listed(version)
  return index
}
