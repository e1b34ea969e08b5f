import type { Pod } from '../../endpointslice/index.ts'
import { matchesLabels, type ObjectTable } from '../../kubernetes/index.ts'
import type { Change } from '../key-queue/change.ts'
import { ownerText, parseOwnerText, type ServiceKey } from '../key-queue/key.ts'
import type { NodeTable } from '../tables/node-table.ts'
import type { OwnerTable } from '../tables/owner-table.ts'
import { NO_ENDPOINT } from '../tables/pod-facts.ts'
import type { PodEntry, PodTable } from '../tables/pod-table.ts'
import type { ServiceEntry } from '../tables/service-table.ts'
import type { SliceTable } from '../tables/slice-table.ts'

/** Tables of what is remembered of one cluster, one for each kind. */
export interface Tables {
  readonly cluster: string
  /** The Services, and other owners of slices. */
  readonly services: OwnerTable
  readonly pods: PodTable
  readonly nodes: NodeTable
  readonly slices: SliceTable
  /** Versions of Endpoints; empty unless they are mirrored. */
  readonly endpoints: ObjectTable<string>
  /** Returns a Pod without the addresses that may not be published. */
  readonly publishable: (pod: Pod) => Pod
}

export const changeOf = (
  { cluster, namespace, name, ownerKind }: ServiceEntry,
  more: Partial<Change> = {},
): Change => ({ cluster, namespace, service: name, ownerKind, ...more })

/** @param key text of an owner of this cluster, see ownerText() */
export const keyChange = ({ cluster }: Pick<Tables, 'cluster'>, key: string): Change => ({
  cluster,
  ...parseOwnerText(key),
})

/** Finds the Service of a key, if it is one of this cluster. */
export const serviceOf = ({ cluster, services }: Tables, key: ServiceKey): ServiceEntry | undefined =>
  key.cluster === cluster ? services.get(ownerText(key)) : undefined

/** Finds the Services, of any cluster, of which the Pod is an endpoint. */
export const servicesWith = (
  { services }: Pick<Tables, 'services'>,
  pod: PodEntry | undefined,
): Set<ServiceEntry> =>
  pod === undefined || pod.digest === NO_ENDPOINT ? new Set() : services.matching(pod.namespace, pod.labels)

/**
 * Reports whether the Pod is an endpoint of the Service, by the Service's selector alone: of a Pod that many
 * take, each of them asks.
 * @param pod `namespace/name`
 */
export function isEndpointOf(
  { cluster, pods }: Pick<Tables, 'cluster' | 'pods'>,
  pod: string,
  { selection, cluster: own }: ServiceEntry,
): boolean {
  const entry = pods.get(pod)
  if (entry === undefined || entry.digest === NO_ENDPOINT || selection.kind !== 'managed') return false
  const { namespace, clusters = [own], selector } = selection
  return namespace === entry.namespace && clusters.includes(cluster) && matchesLabels(selector, entry.labels)
}

export function sum<T>(items: Iterable<T>, numberOf: (item: T) => number): number {
  let total = 0
  for (const item of items) total += numberOf(item)
  return total
}
