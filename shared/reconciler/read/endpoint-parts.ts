import { createHash } from 'node:crypto'
import {
  type EndpointSlice,
  foreignPodSource,
  type Named,
  type PlanState,
  type Pod,
  type SelectedPods,
  type Service,
  type SkippedObject,
} from '../../endpointslice/index.ts'
import { labelValue } from '../../kubernetes/index.ts'
import { withoutAddresses } from './pod-addresses.ts'
import type { FactsLimit } from './pods-of-facts.ts'

/** The pods and nodes that a plan needs, and what had to be left out. */
export interface PodsAndNodes extends Pick<PlanState, 'pods' | 'nodes' | 'source'> {
  readonly skipped: readonly SkippedObject[]
  /** The pods that the Service selects, for those who explain; absent when it selects none. */
  readonly selected?: SelectedPods
  /** Version of the pods, if a cache answered; absent when they are the newest. */
  readonly podsVersion?: string
  /** What a plan by them may not do, where they are what a message says. Absent: it may do anything. */
  readonly limit?: FactsLimit | undefined
}

/** Marks the slices of a Service with pods of several clusters: the cluster that the endpoints are in. */
export const LABEL_ENDPOINTS_CLUSTER = 'sliceflow.dev/endpoints-cluster'

interface PartOfCluster {
  readonly cluster: string
  /** Labels of its slices beside the Service's; none where the Service has no other part. */
  readonly labels: Readonly<Record<string, string>>
}

/** Endpoints that one cluster gives to a Service. */
export interface ReadPart extends PartOfCluster {
  readonly endpoints: PodsAndNodes
}

/** A cluster whose pods could not be read, and why. */
export interface UnreadPart extends PartOfCluster {
  readonly error: unknown
}

/** A part of a Service's endpoints, whose slices are planned apart from those of other clusters. */
export type EndpointPart = ReadPart | UnreadPart

export const isRead = (part: EndpointPart): part is ReadPart => 'endpoints' in part
export const isUnread = (part: EndpointPart): part is UnreadPart => !isRead(part)

/** Returns the labels of the slices of each cluster; none for a single one. */
export function labelsOfParts(clusters: readonly string[]): ReadonlyMap<string, PartOfCluster['labels']> {
  if (clusters.length === 1) return new Map()
  return new Map(clusters.map((cluster) => [cluster, { [LABEL_ENDPOINTS_CLUSTER]: labelOf(cluster) }]))
}

/** Digits of the hash that stands for a name that no label can have, such as an ARN. */
const HASH_DIGITS = 16

function labelOf(cluster: string): string {
  if (labelValue(cluster).length === 0) return cluster
  return `cluster-${createHash('sha256').update(cluster).digest('hex').slice(0, HASH_DIGITS)}`
}

interface PartedSlices {
  of(part: EndpointPart): readonly EndpointSlice[]
  /** Slices of clusters that the Service does not name any more. */
  readonly gone: readonly EndpointSlice[]
}

/**
 * Distinguishes the slices of the parts. A slice without the label was written while the Service named one
 * cluster or none: it goes to the first part, and what does not belong there is moved by the plan.
 */
export function partSlices(parts: readonly EndpointPart[], slices: readonly EndpointSlice[]): PartedSlices {
  const [first, ...others] = parts
  if (first === undefined || others.length === 0) return { of: () => slices, gone: [] }
  const byLabel = Map.groupBy(slices, ({ metadata }) => metadata?.labels?.[LABEL_ENDPOINTS_CLUSTER])
  const known = new Set(parts.map(({ labels }) => labels[LABEL_ENDPOINTS_CLUSTER]))
  const ofFirst = slices.filter(({ metadata }) => {
    const label = metadata?.labels?.[LABEL_ENDPOINTS_CLUSTER]
    return label === undefined || label === first.labels[LABEL_ENDPOINTS_CLUSTER]
  })
  return {
    of: (part) => (part === first ? ofFirst : (byLabel.get(part.labels[LABEL_ENDPOINTS_CLUSTER]) ?? [])),
    gone: slices.filter(({ metadata }) => {
      const label = metadata?.labels?.[LABEL_ENDPOINTS_CLUSTER]
      return label !== undefined && !known.has(label)
    }),
  }
}

/**
 * Leaves out addresses that another cluster gives, too, as with pod networks that overlap: an address stands
 * once in a Service's slices. The cluster that is named first has it; before all of them, one that cannot be
 * reached and has it in its slices.
 */
export function withoutSharedAddresses(
  { service, slices }: { readonly service: Service; readonly slices: readonly EndpointSlice[] },
  parts: readonly EndpointPart[],
): readonly EndpointPart[] {
  if (parts.length === 1) return parts
  const owners = new Map<string, string>()
  const take = (cluster: string, addresses: Iterable<string>): void => {
    for (const address of addresses) if (!owners.has(address)) owners.set(address, cluster)
  }
  const parted = partSlices(parts, slices)
  for (const part of parts.filter(isUnread)) take(part.cluster, addressesIn(parted.of(part)))
  return parts.map((part) => {
    if (!isRead(part)) return part
    const alone = { ...part, endpoints: withoutOthers(part, owners) }
    take(part.cluster, publishedAddresses(service, alone.endpoints))
    return alone
  })
}

function withoutOthers({ cluster, endpoints }: ReadPart, owners: ReadonlyMap<string, string>): PodsAndNodes {
  const { selected } = endpoints
  if (selected === undefined) return endpoints
  const refused: SkippedObject[] = []
  const problemOf = (address: string): string | undefined => {
    const owner = owners.get(address)
    return owner === undefined || owner === cluster
      ? undefined
      : `is one of cluster ${owner}, too, which gives it`
  }
  const pods = selected.pods.map((pod) => withoutAddresses(pod, problemOf, (one) => refused.push(one)))
  if (refused.length === 0) return endpoints
  const isSource = endpoints.source !== undefined
  return {
    ...endpoints,
    ...(isSource ? { source: foreignPodSource({ pods, nodes: selected.nodes }) } : { pods }),
    skipped: [...endpoints.skipped, ...refused],
    selected: { ...selected, pods, refused: [...(selected.refused ?? []), ...refused] },
  }
}

/** Yields the addresses that become endpoints; a pod that has ended or whose node is gone gives none. */
function* publishedAddresses(service: Service, { selected }: PodsAndNodes): Generator<string> {
  if (selected === undefined) return
  const source = foreignPodSource({ pods: selected.pods, nodes: selected.nodes })
  for (const { addresses } of source.endpoints(service as Named<Service>, () => undefined)) yield* addresses
}

const addressesIn = (slices: readonly EndpointSlice[]): string[] =>
  slices.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses))

/** Changes the endpoints of the parts that were read. */
export const mapParts = (
  parts: readonly EndpointPart[],
  change: (endpoints: PodsAndNodes) => PodsAndNodes,
): readonly EndpointPart[] =>
  parts.map((part) => (isRead(part) ? { ...part, endpoints: change(part.endpoints) } : part))

/** Lists the pods that the Service selects, of all clusters. */
export const podsOfParts = (parts: readonly EndpointPart[]): readonly Pod[] =>
  parts.filter(isRead).flatMap(({ endpoints }) => [...(endpoints.selected ?? endpoints).pods])
