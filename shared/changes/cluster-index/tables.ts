import type { Pod } from '../../endpointslice/index.ts'
import type { Change } from '../queue/index.ts'
import type {
  EndpointsTable,
  NodeTable,
  PodEntry,
  PodTable,
  ServiceEntry,
  ServiceTable,
  SliceTable,
} from '../tables/index.ts'
import { NO_ENDPOINT } from '../tables/index.ts'

/** Tables of what is remembered of one cluster, one for each kind. */
export interface Tables {
  readonly cluster: string
  readonly services: ServiceTable
  readonly pods: PodTable
  readonly nodes: NodeTable
  readonly slices: SliceTable
  /** Empty unless Endpoints are mirrored. */
  readonly endpoints: EndpointsTable
  /** Returns a Pod without the addresses that may not be published. */
  readonly publishable: (pod: Pod) => Pod
}

export const changeOf = ({ cluster, namespace, name }: ServiceEntry, more: Partial<Change> = {}): Change => ({
  cluster,
  namespace,
  service: name,
  ...more,
})

/** @param key `namespace/name` of a Service of this cluster */
export function keyChange({ cluster }: Pick<Tables, 'cluster'>, key: string): Change {
  const [namespace = '', service = ''] = key.split('/')
  return { cluster, namespace, service }
}

/** Finds the Services, of any cluster, of which the Pod is an endpoint. */
export const servicesWith = (
  { services }: Pick<Tables, 'services'>,
  pod: PodEntry | undefined,
): Set<ServiceEntry> =>
  pod === undefined || pod.digest === NO_ENDPOINT ? new Set() : services.matching(pod.namespace, pod.labels)

/** @param pod `namespace/name` */
export const isEndpointOf = (
  tables: Pick<Tables, 'services' | 'pods'>,
  pod: string,
  service: ServiceEntry,
): boolean => servicesWith(tables, tables.pods.get(pod)).has(service)
