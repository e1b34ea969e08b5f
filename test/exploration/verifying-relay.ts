import {
  type Change,
  type ClusterIndex,
  createClusterIndex,
  type ServiceKey,
} from '../../shared/changes/index.ts'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../shared/kubernetes/index.ts'
import type { KeyMessage } from '../../shared/queue/index.ts'
import { CLUSTER, ENDPOINTS_A_SLICE, FIRST_MS, keyMessage, MANAGED_BY } from './scenario.ts'
import { objectsOf, type SimulatedCluster } from './simulated-api.ts'

/**
 * Returns the messages of a relay that verifies what a worker has just written or deleted. They come from a
 * real index of a cluster.
 */
export function verified(before: SimulatedCluster, after: SimulatedCluster): readonly KeyMessage[] {
  const [known, found] = [ours(before), ours(after)]
  const written = found.filter((slice) => !known.includes(slice))
  const deleted = known.filter(
    ({ metadata }) => !found.some((slice) => slice.metadata?.name === metadata?.name),
  )
  if (written.length + deleted.length === 0) return []
  const index = indexOf(before)
  const changes = [
    ...written.flatMap((slice) => index.slices.put(slice)),
    ...deleted.flatMap((slice) => index.slices.remove(slice)),
  ]
  return [...changes, ...index.verify(keyMessage())].map((change) => messageOf(index, change))
}

/** Reports whether a relay that lists everything finds the slices right. */
export const isRight = (cluster: SimulatedCluster): boolean =>
  indexOf(cluster).state(keyMessage(), { managedBy: MANAGED_BY, leftovers: 'keep' }) === 'right'

/**
 * Makes the message of Pods as a relay does that has seen the Pods of one state of the cluster and the slices
 * of another.
 */
export function relayMessage(
  pods: SimulatedCluster,
  slices: SimulatedCluster,
  change: Omit<Change, keyof ServiceKey>,
): KeyMessage {
  return messageOf(indexOf(pods, slices), { ...keyMessage(), ...change })
}

function messageOf(index: ClusterIndex, { pods, ...change }: Change): KeyMessage {
  const settings = { maxEndpointsPerSlice: ENDPOINTS_A_SLICE, maximumEndpoints: 0 }
  return { ...change, ...index.hints({ ...change, ...(pods && { pods }) }, settings, FIRST_MS) }
}

const ours = (cluster: SimulatedCluster): EndpointSlice[] =>
  objectsOf<EndpointSlice>(cluster, ENDPOINT_SLICES.plural).filter(
    ({ metadata }) => metadata?.labels?.['endpointslice.kubernetes.io/managed-by'] === MANAGED_BY,
  )

function indexOf(cluster: SimulatedCluster, slices = cluster): ClusterIndex {
  const index = createClusterIndex(CLUSTER, 'replace')
  for (const kind of [index.services, index.pods, index.nodes, index.slices]) kind.listing()
  for (const service of objectsOf(cluster, SERVICES.plural)) index.services.put(service)
  for (const node of objectsOf(cluster, NODES.plural)) index.nodes.put(node)
  for (const pod of objectsOf(cluster, PODS.plural)) index.pods.put(pod)
  for (const slice of ours(slices)) index.slices.put(slice)
  for (const kind of [index.services, index.pods, index.nodes]) kind.listed(String(cluster.revision))
  index.slices.listed(String(slices.revision))
  return index
}
