import { hintModeOf, type Service } from '../../endpointslice/index.ts'
import { createObjectTable, type ObjectTable } from '../../kubernetes/index.ts'
import type { Mode } from '../../settings/index.ts'
import { ENDPOINT_SELECTOR, type OtherOwnerKind, type OwnerText, ownerText } from '../key-queue/key.ts'
import { selectionOf } from '../selection/selection.ts'
import type { Selection } from '../selection/types.ts'
import type { Permissions } from '../sources/permissions.ts'
import { knownVersion, plannedService, projectionDigest, serviceDigest } from './digests.ts'
import type { Labels } from './pool.ts'
import type { SelectorsByCluster } from './selector-index.ts'

export interface ServiceEntry {
  readonly cluster: string
  readonly namespace: string
  readonly name: string
  /** Absent: it is a Service. */
  readonly ownerKind?: OtherOwnerKind
  /** The newest, even that of a change that does not matter here. */
  resourceVersion: string | undefined
  readonly digest: string
  readonly selection: Selection
  readonly topologyHints: boolean
  /** Digest of the EndpointSelector that it is projected to, or of itself if it is a projection. */
  readonly projection?: string
  /** Service as far as a plan reads it. */
  readonly service: Service
}

/** Returns the text of the owner that the entry is of, by which tables find it and its slices. */
export const textOfEntry = ({ namespace, name, ownerKind }: ServiceEntry): OwnerText =>
  ownerText({ namespace, service: name, ownerKind })

/** The Services of a cluster, by name; and those of any cluster that select a Pod of this one. */
export interface ServiceTable
  extends Pick<ObjectTable<ServiceEntry>, 'get' | 'entries' | 'size' | 'listing' | 'listed'> {
  readonly cluster: string
  /** Returns the entry before and after. */
  put(key: string, service: Service): { before: ServiceEntry | undefined; after: ServiceEntry }
  delete(key: string): ServiceEntry | undefined
  /** Finds the managed Services that select a pod of this cluster with these labels. */
  matching(namespace: string, labels: Labels): Set<ServiceEntry>
  /** Lists the Services of other clusters that take pods of this one. */
  foreign(): ServiceEntry[]
  /** The paused Services, but for those that would not be ours without the pause. */
  readonly paused: ReadonlySet<ServiceEntry>
}

export function createServiceTable(
  cluster: string,
  { mode, permissions }: { readonly mode: Mode; readonly permissions: Permissions },
  selectors: SelectorsByCluster<ServiceEntry>,
): ServiceTable {
  const table = createObjectTable<ServiceEntry>()

  const paused = new Set<ServiceEntry>()

  function index(entry: ServiceEntry): void {
    const { selection } = entry
    if (selection.kind === 'paused' && selection.of.kind !== 'unmanaged') paused.add(entry)
    if (selection.kind !== 'managed') return
    for (const of of selection.clusters ?? [cluster]) selectors.add(of, selection, entry)
  }
  function unindex(entry: ServiceEntry): void {
    const { selection } = entry
    paused.delete(entry)
    if (selection.kind !== 'managed') return
    for (const of of selection.clusters ?? [cluster]) selectors.delete(of, selection, entry)
  }

  function entryOf(service: Service, digest: string): ServiceEntry {
    return {
      cluster,
      namespace: service.metadata?.namespace ?? '',
      name: service.metadata?.name ?? '',
      ownerKind: service.kind === ENDPOINT_SELECTOR ? ENDPOINT_SELECTOR : undefined,
      resourceVersion: knownVersion(service.metadata?.resourceVersion),
      digest,
      selection: selectionOf(service, mode, permissions),
      topologyHints: hintModeOf(service) === 'topology',
      projection: projectionDigest(service, permissions.settings.serviceProjection === true),
      service: plannedService(service),
    }
  }

  return {
    ...table,
    cluster,
    listed: () => {
      const gone = table.listed()
      for (const [, entry] of gone) unindex(entry)
      return gone
    },
    put(key, service) {
      const before = table.get(key)
      const digest = serviceDigest(service)
      // What is as it was is not parsed again: most changes of a Service are of its status.
      if (before?.digest === digest) {
        before.resourceVersion = knownVersion(service.metadata?.resourceVersion)
        table.set(key, before)
        return { before, after: before }
      }
      const after = entryOf(service, digest)
      if (before !== undefined) unindex(before)
      table.set(key, after)
      index(after)
      return { before, after }
    },
    delete(key) {
      const entry = table.get(key)
      if (entry !== undefined) unindex(entry)
      table.delete(key)
      return entry
    },
    matching: (namespace, labels) => selectors.matching(cluster, namespace, labels),
    paused,
    foreign: () => [...selectors.entries(cluster)].filter((entry) => entry.cluster !== cluster),
  }
}
