import type { SyncHint } from '../../changes/index.ts'
import type { EndpointSlice, Service } from '../../endpointslice/index.ts'
import { ENDPOINT_SLICES, PODS } from '../../kubernetes/index.ts'
import { parseSettings } from '../../settings/index.ts'
import { atRest, type MemoryCluster, type Settings, slicesWith, webPod } from '../memory-cluster.fixtures.ts'

export const SETTINGS: Settings = parseSettings({
  mode: 'replace',
  managedBy: 'sliceflow.dev',
  maxEndpointsPerSlice: 2,
})

/** Makes the hint of a relay that sees everything. */
export function hintFor(cluster: MemoryCluster, ...pods: string[]): SyncHint {
  const slices = new Set(pods.flatMap((pod) => slicesWith(cluster, pod)))
  return { pods, slices: [...slices] }
}

/** Returns the slice that has room for one more. */
export const lastSlice = (cluster: MemoryCluster): EndpointSlice =>
  cluster.all(ENDPOINT_SLICES).find(({ endpoints }) => endpoints?.length === 1) as EndpointSlice

export const nameOfLast = (cluster: MemoryCluster): string => lastSlice(cluster).metadata?.name ?? ''

/** Returns a cluster in which `web-1` has failed since the Service was last reconciled. */
export async function failed(pods = 3, service?: Service, settings = SETTINGS): Promise<MemoryCluster> {
  const cluster = await atRest(pods, settings, service)
  cluster.put(PODS, webPod(1, false))
  return cluster
}

export const editSlice = (cluster: MemoryCluster, edit: (slice: EndpointSlice) => EndpointSlice): void => {
  const [name] = slicesWith(cluster, 'web-1')
  const slice = cluster.all(ENDPOINT_SLICES).find(({ metadata }) => metadata?.name === name)
  cluster.put(ENDPOINT_SLICES, edit(slice as EndpointSlice))
}

export const withMetadata = (
  slice: EndpointSlice,
  metadata: Partial<EndpointSlice['metadata']>,
): EndpointSlice => ({ ...slice, metadata: { ...slice.metadata, ...metadata } })
