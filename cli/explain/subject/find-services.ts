import {
  type OtherOwner,
  type OwnerObject,
  type PermissionSettings,
  type PodSelection,
  permissionsOf,
  publishedOwners,
  type Selection,
  type ServiceKey,
  selectionOf,
} from '../../../shared/changes/index.ts'
import type { Service } from '../../../shared/endpointslice/index.ts'
import {
  type ApiClient,
  type LabelRequirement,
  matchesLabels,
  SERVICES,
} from '../../../shared/kubernetes/index.ts'
import { listOwners } from '../../../shared/reconciler/index.ts'
import type { Settings } from '../../../shared/settings/index.ts'
import { canonical, type FoundPod, recordsOf, soundObjects } from './find-objects.ts'
import type { Subject } from './report.ts'

type SelectionSettings = PermissionSettings & Pick<Settings, 'mode'>

type Named = ServiceKey

/** A Service, or other owner of slices, that selects a Pod. */
interface Selecting extends Named {
  readonly pod: FoundPod
}

/** A Service that selects Pods where the Pod is, and not this one. */
export interface Missing extends Selecting {
  /** Requirements of its selector that the Pod's labels meet, and those that they do not. */
  readonly met: number
  readonly unmet: readonly LabelRequirement[]
}

/** Services of one cluster that a subject is about. */
export interface FoundServices {
  readonly selecting: readonly Selecting[]
  readonly missing: readonly Missing[]
  /** Services whose annotation gives the address. */
  readonly naming: readonly Named[]
  /** Services whose own address it is, with its kind, such as `clusterIP`. */
  readonly fronting: readonly (Named & { readonly field: string })[]
  readonly faults: readonly string[]
}

/** @throws KubernetesError */
export async function findServices(
  client: ApiClient,
  { subject, pods }: { readonly subject: Subject; readonly pods: readonly FoundPod[] },
  settings: SelectionSettings,
  signal: AbortSignal,
): Promise<FoundServices> {
  const found = { selecting: [], missing: [], naming: [], fronting: [], faults: [] } as Found
  const byPlace = Map.groupBy(pods, ({ cluster, namespace }) => `${cluster} ${namespace}`)
  for (const other of publishedOwners(settings))
    for await (const items of listOwners(client, other, { signal })) noteOthers(other, items)
  for await (const { items } of client.pages(SERVICES, { signal }))
    for (const service of soundObjects('Service', items, found.faults)) {
      const { namespace = '', name = '' } = service.metadata ?? {}
      const named = { cluster: client.cluster, namespace, service: name }
      const selection = endpointSelection(client.cluster, service, settings)
      if (selection?.kind === 'sourced' && givesAddress(selection.asked, subject)) found.naming.push(named)
      found.fronting.push(...ownFields(service, subject).map((field) => ({ ...named, field })))
      if (selection?.kind === 'managed') noteSelection(found, named, selection, byPlace)
    }
  return found

  function noteOthers({ owner, asService }: OtherOwner, items: readonly OwnerObject[]): void {
    for (const object of soundObjects(owner.kind, items, found.faults)) {
      const { namespace = '', name = '' } = object.metadata ?? {}
      const named = { cluster: client.cluster, namespace, service: name, ownerKind: owner.kind }
      const selection = endpointSelection(client.cluster, asService(object), settings)
      if (selection?.kind === 'managed') noteSelection(found, named, selection, byPlace)
    }
  }
}

type Found = { readonly [Kind in keyof FoundServices]: FoundServices[Kind][number][] }

/** Compares a selector with every Pod of the places that the Service takes Pods from. */
function noteSelection(
  found: Found,
  named: Named,
  selection: PodSelection,
  byPlace: ReadonlyMap<string, readonly FoundPod[]>,
): void {
  const { selector } = selection
  for (const pod of placesOf(selection, named).flatMap((place) => byPlace.get(place) ?? [])) {
    const labels = pod.pod.metadata?.labels ?? {}
    const unmet = selector.filter((requirement) => !matchesLabels([requirement], labels))
    if (unmet.length === 0) found.selecting.push({ ...named, pod })
    else found.missing.push({ ...named, pod, unmet, met: selector.length - unmet.length })
  }
}

/** Returns what a Service selects, for us or for the in-tree controller; undefined if it is unknown. */
function endpointSelection(
  cluster: string,
  service: Service,
  settings: SelectionSettings,
): Selection | undefined {
  const permissions = permissionsOf(cluster, settings)
  const ours = unpaused(selectionOf(service, settings.mode, permissions))
  return ours.kind === 'unmanaged' ? unpaused(selectionOf(service, 'replace', permissions)) : ours
}

/** A pause changes nothing of what a Service selects. */
const unpaused = (selection: Selection): Selection => (selection.kind === 'paused' ? selection.of : selection)

/** Names the places that a Service takes Pods from, as `cluster namespace`. */
const placesOf = ({ clusters, namespace }: PodSelection, service: Named): string[] =>
  (clusters ?? [service.cluster]).map((cluster) => `${cluster} ${namespace || service.namespace}`)

const givesAddress = (addresses: readonly string[], { kind, name }: Subject): boolean =>
  kind === 'Address' && addresses.some((address) => canonical(address) === name)

/** Lists the fields in which a Service has the address as its own. */
function ownFields({ spec, status }: Service, { kind, name }: Subject): string[] {
  if (kind !== 'Address') return []
  const has = (addresses: unknown): boolean =>
    (Array.isArray(addresses) ? addresses : []).some((address) => canonical(address) === name)
  const { clusterIP, clusterIPs, externalIPs } = spec ?? {}
  return [
    ...(has([clusterIP]) || has(clusterIPs) ? ['clusterIP'] : []),
    ...(has(externalIPs) ? ['external IP'] : []),
    ...(has(recordsOf(status?.loadBalancer?.ingress).map(({ ip }) => ip)) ? ['load balancer'] : []),
  ]
}
