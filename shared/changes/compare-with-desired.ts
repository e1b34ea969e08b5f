import { type EndpointSlice, LABEL_ZONE, type Node, type Pod, plan } from '../endpointslice/index.ts'
import type { Settings } from '../settings/index.ts'
import type { ServiceKey } from './key-queue/key.ts'
import { isDependent, leftoversOf } from './seal/leftovers.ts'
import type { Selection } from './selection/types.ts'
import type { PodSelection } from './sources/source.ts'
import type { NodeDigest } from './tables/digests.ts'
import { podOfDigest } from './tables/pod-facts.ts'
import type { PodEntry } from './tables/pod-matches.ts'
import type { ServiceEntry } from './tables/service-table.ts'
import type { SliceEntry } from './tables/slice-table.ts'
import { parseSliceText } from './tables/slice-text.ts'

/** Whether a Service's slices are what they ought to be; `unknown`: the index does not know. */
export type SliceState = 'right' | 'wrong' | 'unknown'

export interface ComparedKey extends ServiceKey {
  readonly state: SliceState
}

/**
 * Settings on which the right slices depend. How they are packed does not: packing alone is no cause for a
 * write.
 */
export type ComparisonSettings = Pick<Settings, 'managedBy' | 'leftovers'>

/** Content of an index, each by `namespace/name`. */
export interface IndexContent {
  service(key: string): ServiceEntry | undefined
  slices(service: string): ReadonlySet<SliceEntry>
  /** Returns the version of the Endpoints of that name, if they are watched and there are any. */
  endpoints(service: string): string | undefined
  /** Finds the pods of this cluster that a selector takes. */
  pods(selection: PodSelection): Iterable<readonly [string, PodEntry]>
  node(name: string): NodeDigest | undefined
  /** Returns a Pod without the addresses that may not be published. */
  publishable(pod: Pod): Pod
}

/** Compares a Service's slices with its Pods, as the index has them, at the cost of a plan of them. */
export function compareWithDesired(
  service: string,
  content: IndexContent,
  settings: ComparisonSettings,
): SliceState {
  const { pods, node, publishable } = content
  const [entry, slices] = [content.service(service), content.slices(service)]
  const hasEndpoints = content.endpoints(service) !== undefined
  return stateOf({ entry, slices, hasEndpoints, pods, node, publishable }, settings)
}

/** Facts of one Service, and of all that it depends on. */
interface ComparedService {
  /** Nothing where only its slices are left. */
  readonly entry: ServiceEntry | undefined
  readonly slices: ReadonlySet<SliceEntry>
  readonly hasEndpoints: boolean
  readonly pods: IndexContent['pods']
  readonly node: (name: string) => NodeDigest | undefined
  readonly publishable: IndexContent['publishable']
}

interface PlannedService extends Pick<ComparedService, 'slices' | 'node' | 'publishable'> {
  /** Its pods, by `namespace/name`. */
  readonly pods: Iterable<readonly [string, PodEntry]>
}

/**
 * Says `right` exactly when a plan made of the same objects would write nothing, by making that plan. Not
 * compared are Services with pods of another cluster or network, with addresses of their own, with topology
 * hints by CPU, those whose slices mirror Endpoints, and those that are being deleted.
 */
function stateOf(service: ComparedService, settings: ComparisonSettings): SliceState {
  const { entry, slices, hasEndpoints } = service
  if (entry === undefined) return anyOf(slices, goesWithService) ? 'wrong' : 'right'
  const { selection } = entry
  // Whatever they are, they are to stay.
  if (selection.kind === 'paused') return 'right'
  if (selection.kind === 'unmanaged' || selection.kind === 'mirrored') {
    const isMirroring = selection.kind === 'mirrored'
    const areKept = leftoversOf(selection, settings.leftovers) === 'keep'
    if (!areKept && anyOf(slices, ({ isOurs, isMirror }) => isOurs && !(isMirroring && isMirror)))
      return 'wrong'
    return isMirroring && (hasEndpoints || anyOf(slices, ({ isMirror }) => isMirror)) ? 'unknown' : 'right'
  }
  if (!isComparable(selection) || entry.topologyHints || isDeleted(entry)) return 'unknown'
  return comparePlanned(entry, { ...service, pods: service.pods(selection) }, settings)
}

const anyOf = (slices: ReadonlySet<SliceEntry>, holds: (slice: SliceEntry) => boolean): boolean =>
  [...slices].some(holds)

const goesWithService = (slice: SliceEntry): boolean => slice.isOurs || isDependent(parsed(slice))

const isComparable = (selection: Selection): selection is Extract<Selection, PodSelection> =>
  selection.kind === 'managed' && selection.clusters === undefined && selection.network === undefined

const isDeleted = ({ service }: ServiceEntry): boolean =>
  typeof service.metadata?.deletionTimestamp === 'string'

function comparePlanned(
  { service }: ServiceEntry,
  { slices, pods, node, publishable }: PlannedService,
  { managedBy }: ComparisonSettings,
): SliceState {
  // plan() leaves an empty slice alone, a sync does not if it is left over.
  if (anyOf(slices, ({ isSealedForDeletion }) => isSealedForDeletion)) return 'wrong'
  const selected: Pod[] = []
  const nodes = new Map<string, Node>()
  for (const [key, { digest, ports, node: name }] of pods) {
    const pod = podOfDigest(key, digest, ports)
    if (pod === undefined) return 'unknown'
    selected.push(publishable(pod))
    const known = node(name)
    if (known !== undefined && !nodes.has(name)) nodes.set(name, nodeNamed(name, known))
  }
  const state = { service, pods: selected, nodes: [...nodes.values()], slices: [...slices].map(parsed) }
  const { create, update, delete: remove } = plan(state, { managedBy, comparedLabels: 'all' })
  return [create, update, remove].every(({ length }) => length === 0) ? 'right' : 'wrong'
}

const parsed = ({ text }: SliceEntry): EndpointSlice => parseSliceText(text)

/** Makes the Node as far as a plan reads it. */
export const nodeNamed = (name: string, { zone }: Pick<NodeDigest, 'zone'>): Node => ({
  metadata: { name, labels: zone === '' ? {} : { [LABEL_ZONE]: zone } },
})
