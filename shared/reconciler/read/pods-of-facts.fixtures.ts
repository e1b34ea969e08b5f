import { createClusterIndex } from '../../changes/index.ts'
import type { EndpointSlice, Pod, Service } from '../../endpointslice/index.ts'
import { type ApiObject, ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../kubernetes/index.ts'
import { encodeMessage, type KeyMessage, parseMessage } from '../../queue/index.ts'
import { SILENT_LOG } from '../../telemetry/index.ts'
import { atRest, KEY, type MemoryCluster, type Settings, webPod } from '../memory-cluster.fixtures.ts'
import { createReconciler } from '../reconcile-service.ts'
import { SETTINGS } from '../sync/sync-hinted-pods.fixtures.ts'

export const NOW = Date.UTC(2026, 0, 1)

/**
 * Makes the message of a relay that has seen everything there is, as it comes out of the queue.
 * @param pods those that have changed; none: the Service has
 */
export function messageOf(cluster: MemoryCluster, ...pods: string[]): KeyMessage {
  const [service] = cluster.all<Service>(SERVICES)
  const index = createClusterIndex(KEY.cluster, service?.spec?.selector === undefined ? 'custom' : 'replace')
  const kinds = [index.services, index.nodes, index.pods, index.slices]
  for (const kind of kinds) kind.listing()
  for (const service of cluster.all(SERVICES)) index.services.put(service)
  for (const node of cluster.all(NODES)) index.nodes.put(node)
  for (const pod of cluster.all<Pod>(PODS)) index.pods.put(pod)
  for (const slice of cluster.all(ENDPOINT_SLICES)) index.slices.put(slice)
  const version = newestOf(cluster.all(PODS))
  for (const kind of kinds) kind.listed(version)
  // It has seen whatever is written, and may have seen nothing of Pods since.
  index.slices.listed(newestOf([...cluster.all(PODS), ...cluster.all(ENDPOINT_SLICES)]))
  const change = { ...KEY, resourceVersion: version, ...(pods.length > 0 && { pods }) }
  const message = {
    ...KEY,
    resourceVersion: version,
    ...index.hints(change, { maxEndpointsPerSlice: 2, maximumEndpoints: 0 }, NOW),
  }
  return parseMessage(encodeMessage({ ...message, history: 'h1' }))
}

const newestOf = (objects: readonly ApiObject[]): string =>
  String(Math.max(...objects.map(({ metadata }) => Number(metadata?.resourceVersion))))

export interface Delivery {
  readonly now?: number
  readonly receiveCount?: number
}

/** A process that remembers; returns the calls that a message costs. */
export function processOf(
  cluster: MemoryCluster,
  settings: Settings = SETTINGS,
): (message: KeyMessage, delivery?: Delivery) => Promise<string[]> {
  let now = NOW
  const reconcile = createReconciler({
    clientOf: () => cluster.client,
    settings,
    logger: SILENT_LOG,
    clock: { now: () => now, pause: async () => {} },
  })
  const { signal } = new AbortController()
  return async (message, delivery = {}) => {
    now = delivery.now ?? NOW
    cluster.calls.length = 0
    const { receiveCount = 1 } = delivery
    await reconcile({ ...message, messageIds: [] }, { signal, sentTimestamp: NOW, receiveCount })
    return [...cluster.calls]
  }
}

export const isReady = (cluster: MemoryCluster, pod: string): boolean | undefined =>
  cluster
    .all<EndpointSlice>(ENDPOINT_SLICES)
    .flatMap(({ endpoints }) => endpoints ?? [])
    .find(({ targetRef }) => targetRef?.name === pod)?.conditions?.ready

/** Returns a cluster in which `web-1` has just failed, and a process that has its Service in its cache. */
export async function warm(pods = 3) {
  const cluster = await atRest(pods, SETTINGS)
  const handle = processOf(cluster)
  cluster.put(PODS, webPod(1, false))
  await handle(messageOf(cluster, 'web-1'))
  cluster.put(PODS, webPod(1))
  return { cluster, handle }
}
