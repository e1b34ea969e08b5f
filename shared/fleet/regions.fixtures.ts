import { ENDPOINT_SLICES } from '../kubernetes/index.ts'
import type { MemoryCluster } from '../reconciler/memory-cluster.fixtures.ts'
import { EXPORTS, type Fleet, IMPORTS, openFleetOf, sourceSlice } from './reconcile-fleet.fixtures.ts'
import {
  type ClusterSelector,
  clusterProperties,
  type ServiceExport,
  type ServiceImport,
} from './resources.ts'
import { LABEL_SOURCE_CLUSTER } from './well-known.ts'

export const REGION = 'region.topology.k8s.io'
export const PROPERTIES = clusterProperties('v1')
export const IDS = ['eu-1', 'eu-2', 'us-1', 'us-2', 'ap-1'] as const
export type Id = (typeof IDS)[number]

export const regionOf = (id: string): string => id.slice(0, 2)
export const has = (matchProperties: Record<string, string>): ClusterSelector => ({
  propertySelector: { matchProperties },
})
export const OWN = has({ 'cluster.clusterset.k8s.io': '@SameAsImporter@' })
export const SAME_REGION = has({ [REGION]: '@SameAsImporter@' })

interface RegionsOptions {
  readonly selectors?: unknown
  readonly clusterSelection?: boolean
  readonly properties?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Opens five clusters in three regions, all of which export `web` with these selectors. */
export function openRegions({ selectors = [OWN, SAME_REGION], ...options }: RegionsOptions = {}): Fleet<Id> {
  const fleet = openFleetOf(IDS, {}, {}, { clusterSelection: true, ...options })
  for (const id of IDS) {
    const cluster = fleet.clusters[id]
    setProperty(cluster, 'cluster.clusterset.k8s.io', id)
    setProperty(cluster, REGION, regionOf(id))
    selectClusters(cluster, selectors)
  }
  return fleet
}

export const setProperty = (cluster: MemoryCluster, name: string, value: string): void =>
  void cluster.put(PROPERTIES, { metadata: { name }, spec: { value } })

export function selectClusters(cluster: MemoryCluster, clusterSelectors: unknown): void {
  const [object] = cluster.all<ServiceExport>(EXPORTS)
  cluster.put(EXPORTS, { ...object, spec: { clusterSelectors } } as ServiceExport)
}

/** Sets what the Service of a cluster has: addresses, each ready or with other conditions. */
export const setEndpoints = (cluster: MemoryCluster, endpoints: readonly object[]): void =>
  void cluster.put(ENDPOINT_SLICES, { ...sourceSlice(), endpoints: endpoints as never })

export const importIn = (fleet: Fleet<Id>, id: Id): ServiceImport =>
  fleet.clusters[id].all<ServiceImport>(IMPORTS)[0] ?? {}

export const resultsIn = (fleet: Fleet<Id>, id: Id): unknown =>
  importIn(fleet, id).status?.clusterSelectorResults?.map(({ clusters = [] }) => clusters)

/** Lists the clusters whose endpoints serve the derived Service of a cluster: ports by cluster. */
export function servingIn(fleet: Fleet<Id>, id: Id): Record<string, string[]> {
  const serving: Record<string, string[]> = {}
  for (const { metadata, endpoints, ports } of fleet.clusters[id].all(ENDPOINT_SLICES)) {
    const source = metadata?.labels?.[LABEL_SOURCE_CLUSTER]
    if (source === undefined || metadata?.labels?.['kubernetes.io/service-name'] === undefined) continue
    if ((endpoints ?? []).length === 0) continue
    serving[source] = [...(serving[source] ?? []), ...(ports ?? []).map(({ name }) => name ?? '')].sort()
  }
  return serving
}

export const servers = (fleet: Fleet<Id>, id: Id): string[] => Object.keys(servingIn(fleet, id)).sort()

/** Lists every endpoint that is imported into a cluster, whether it serves or not. */
export const importedIn = (fleet: Fleet<Id>, id: Id): string[] =>
  fleet.clusters[id]
    .all(ENDPOINT_SLICES)
    .filter(({ metadata }) => metadata?.labels?.[LABEL_SOURCE_CLUSTER] !== undefined)
    .flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses))
    .sort()
