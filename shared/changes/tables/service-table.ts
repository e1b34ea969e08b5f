import { hintModeOf, type Service } from '../../endpointslice/index.ts'
import { createObjectTable } from '../../kubernetes/index.ts'
import type { Mode } from '../../settings/index.ts'
import { type OwnerText, ownerText } from '../key-queue/key.ts'
import { otherOwner } from '../owners/find-owner.ts'
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
  readonly ownerKind?: string
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

export type ServiceTable = ReturnType<typeof createServiceTable>

/** The Services of a cluster, by name; and those of any cluster that select a Pod of this one. */
export function createServiceTable(
  cluster: string,
  { mode, permissions }: { readonly mode: Mode; readonly permissions: Permissions },
  selectors: SelectorsByCluster<ServiceEntry>,
) {
  const paused = new Set<ServiceEntry>()
  const table = createObjectTable<ServiceEntry>((before, after) => {
    if (before !== undefined) unindex(before)
    if (after !== undefined) index(after)
  })

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
      ownerKind: otherOwner(service.kind)?.owner.kind,
      resourceVersion: undefined,
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
    /** Returns the entry before and after. */
    put(key: string, service: Service): { before: ServiceEntry | undefined; after: ServiceEntry } {
      const digest = serviceDigest(service)
      const known = table.get(key)
      // What is as it was is not parsed again: most changes of a Service are of its status.
      const after = known?.digest === digest ? known : entryOf(service, digest)
      after.resourceVersion = knownVersion(service.metadata?.resourceVersion)
      return { before: table.set(key, after), after }
    },
    /** Finds the managed Services that select a pod of this cluster with these labels. */
    matching: (namespace: string, labels: Labels): Set<ServiceEntry> =>
      selectors.matching(cluster, namespace, labels),
    /** The paused Services, but for those that would not be ours without the pause. */
    paused: paused as ReadonlySet<ServiceEntry>,
    /** Lists the Services of other clusters that take pods of this one. */
    foreign: (): ServiceEntry[] =>
      [...selectors.entries(cluster)].filter((entry) => entry.cluster !== cluster),
  }
}
