import { FLEET_MANAGED_BY, ownerOf } from '../../../shared/changes/index.ts'
import {
  type Endpoint,
  type EndpointSlice,
  LABEL_MANAGED_BY,
  lastWriteOf,
} from '../../../shared/endpointslice/index.ts'
import { IMPORT_OWNER, LABEL_SOURCE_CLUSTER } from '../../../shared/fleet/index.ts'
import { type ApiClient, ENDPOINT_SLICES } from '../../../shared/kubernetes/index.ts'
import { LABEL_ENDPOINTS_CLUSTER } from '../../../shared/reconciler/index.ts'
import { canonical, type Faults, type FoundPod, soundObjects } from './find-objects.ts'
import type { PublishingSlice, Subject } from './report.ts'

/** An endpoint of a slice that a subject is about. */
export interface Hit {
  readonly cluster: string
  readonly namespace: string
  /** The Service, or the import; empty for a slice that names none. */
  readonly service: string
  /** Absent: it is a Service, or an import. */
  readonly ownerKind?: string
  readonly isImport: boolean
  readonly slice: PublishingSlice
  readonly pod?: { readonly namespace: string; readonly name: string; readonly uid?: string }
  readonly node?: string
  /** The cluster of the endpoint that a label of the slice names. */
  readonly endpointsCluster?: string
}

/** Reads all slices of a cluster, and picks the endpoints of the subject. @throws KubernetesError */
export async function findSlices(
  client: ApiClient,
  isWanted: (hit: Hit) => boolean,
  signal: AbortSignal,
): Promise<{ readonly hits: readonly Hit[]; readonly faults: readonly string[] }> {
  const hits: Hit[] = []
  const faults: Faults = []
  for await (const { items } of client.pages(ENDPOINT_SLICES, { signal }))
    for (const slice of soundObjects('EndpointSlice', items, faults))
      for (const endpoint of slice.endpoints ?? []) {
        const hit = hitOf(client.cluster, slice, endpoint)
        if (isWanted(hit)) hits.push(hit)
      }
  return { hits, faults }
}

/** Decides which endpoints a subject is about, by the Pods that fit it. */
export function hitFilter(subject: Subject, pods: readonly FoundPod[], clusters: readonly string[]) {
  const podsByAddress = Map.groupBy(
    pods.flatMap((pod) => pod.addresses.map((address) => ({ address, pod }))),
    ({ address }) => address,
  )
  const isOfPod = (hit: Hit): boolean =>
    hit.slice.addresses.some((address) =>
      podsByAddress.get(address)?.some(({ pod }) => isEndpointOf(hit, pod, clusters)),
    )
  return (hit: Hit): boolean =>
    (subject.namespace === undefined || (hit.pod?.namespace ?? hit.namespace) === subject.namespace) &&
    (isNamed(subject, hit) || isOfPod(hit))
}

function isNamed({ kind, name }: Subject, { slice, pod, node }: Hit): boolean {
  if (kind === 'Pod') return pod?.name === name
  return kind === 'Node' ? node === name : slice.addresses.includes(name)
}

/** Reports whether an endpoint is a Pod's: it refers to it or, from another cluster, has its address. */
export function isEndpointOf(hit: Hit, pod: FoundPod, clusters: readonly string[]): boolean {
  if (hit.pod !== undefined)
    return hit.cluster === pod.cluster && hit.pod.name === pod.name && hit.pod.namespace === pod.namespace
  const { endpointsCluster } = hit
  // A label may have an id, or a digest, instead of the name by which the cluster is asked.
  const isElsewhere =
    endpointsCluster !== undefined && endpointsCluster !== pod.cluster && clusters.includes(endpointsCluster)
  return !isElsewhere && hit.slice.addresses.some((address) => pod.addresses.includes(address))
}

function hitOf(cluster: string, slice: EndpointSlice, endpoint: Endpoint): Hit {
  const { namespace = '' } = slice.metadata ?? {}
  // A server may write none as null.
  const labels = slice.metadata?.labels ?? {}
  const isImport = labels[LABEL_MANAGED_BY] === FLEET_MANAGED_BY
  const owner = isImport ? { service: IMPORT_OWNER.nameOf(slice) } : (ownerOf(slice) ?? { service: '' })
  const endpointsCluster = labels[LABEL_SOURCE_CLUSTER] ?? labels[LABEL_ENDPOINTS_CLUSTER]
  const { targetRef, nodeName } = endpoint
  const pod = targetRef?.kind === 'Pod' && targetRef.name !== undefined ? targetRef : undefined
  return {
    cluster,
    ...owner,
    namespace,
    isImport,
    slice: publishing(slice, endpoint),
    ...(pod?.name !== undefined && {
      pod: { namespace: pod.namespace ?? namespace, name: pod.name, uid: pod.uid },
    }),
    node: nodeName,
    endpointsCluster,
  }
}

/** Describes the endpoint as consumers of the slice read it. */
function publishing(slice: EndpointSlice, { addresses, conditions }: Endpoint): PublishingSlice {
  const { name = '' } = slice.metadata ?? {}
  const labels = slice.metadata?.labels ?? {}
  const ready = conditions?.ready !== false
  return {
    name,
    managedBy: labels[LABEL_MANAGED_BY] ?? '',
    addressType: slice.addressType,
    addresses: (addresses ?? []).map((address) => canonical(address) ?? address),
    ready,
    serving: conditions?.serving ?? ready,
    terminating: conditions?.terminating === true,
    sourceCluster: labels[LABEL_SOURCE_CLUSTER],
    lastWrite: lastWriteOf(slice),
  }
}
