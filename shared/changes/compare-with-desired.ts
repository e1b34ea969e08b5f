import {
  type EndpointSlice,
  LABEL_ZONE,
  type Node,
  type PlanOptions,
  type Pod,
  plan,
  type SlicePlan,
} from '../endpointslice/index.ts'
import type { Settings } from '../settings/index.ts'
import { isVerifiable } from './cluster-index/service-facts.ts'
import type { Tables } from './cluster-index/tables.ts'
import type { ServiceKey } from './key-queue/key.ts'
import { isDependent, isLeftover, leftoversOf } from './seal/leftovers.ts'
import type { PodSelection } from './sources/source.ts'
import type { NodeDigest } from './tables/digests.ts'
import { podOfDigest } from './tables/pod-facts.ts'
import type { PodEntry } from './tables/pod-table.ts'
import type { ServiceEntry } from './tables/service-table.ts'
import { type SliceEntry, sliceOfEntry } from './tables/slice-table.ts'

/** Whether a Service's slices are what they ought to be; `unknown`: the index does not know. */
export type SliceState = 'right' | 'wrong' | 'unknown'

export interface ComparedKey extends ServiceKey {
  readonly state: SliceState
}

/** Settings on which the right slices depend. Packing is none: it alone is no cause for a write. */
export type ComparisonSettings = Pick<Settings, 'managedBy' | 'leftovers'>

/**
 * Compares a Service's slices with its Pods, as the index has them. Says `right` exactly when a plan made of
 * the same objects would write nothing, by making that plan. Not compared are Services with pods of another
 * cluster or network, with addresses of their own, with topology hints by CPU, those whose slices mirror
 * Endpoints, and those that are being deleted.
 * @param key text of an owner, see ownerText()
 */
export function compareWithDesired(
  tables: Tables,
  key: string,
  { managedBy, leftovers }: ComparisonSettings,
): SliceState {
  const service = tables.services.get(key)
  const slices = [...tables.slices.of(key)]
  if (service === undefined) return slices.some(goesWithService) ? 'wrong' : 'right'
  const { selection } = service
  // Whatever they are, they are to stay.
  if (selection.kind === 'paused') return 'right'
  if (selection.kind === 'unmanaged' || selection.kind === 'mirrored') {
    const isKept = leftoversOf(selection, leftovers) === 'keep'
    if (!isKept && slices.some((slice) => slice.isOurs && isLeftover(slice, selection))) return 'wrong'
    const hasMirrors = tables.endpoints.get(key) !== undefined || slices.some(({ isMirror }) => isMirror)
    return selection.kind === 'mirrored' && hasMirrors ? 'unknown' : 'right'
  }
  const compared = comparedSelection(service)
  if (compared === undefined) return 'unknown'
  const pods = tables.pods.selected(compared)
  const known = { service, slices: slices.map((slice) => sliceOfEntry(slice)), pods }
  return stateOfPlan(planOfEntries(tables, known, { managedBy, comparedLabels: 'all' }))
}

const goesWithService = (slice: SliceEntry): boolean => slice.isOurs || isDependent(sliceOfEntry(slice))

/** Returns the selection of a Service whose plan follows from what the index has. */
function comparedSelection(entry: ServiceEntry): PodSelection | undefined {
  const { selection, service } = entry
  const isDeleted = typeof service.metadata?.deletionTimestamp === 'string'
  return selection.kind === 'managed' && isVerifiable(entry) && !isDeleted ? selection : undefined
}

interface ComparedService {
  readonly service: ServiceEntry
  readonly slices: readonly EndpointSlice[]
  /** Its pods, by `namespace/name`. */
  readonly pods: Iterable<readonly [string, PodEntry]>
}

/** Plans by what the index has; undefined if a digest does not say what a Pod is. */
export function planOfEntries(
  { nodes: { get: nodeOf }, publishable }: Pick<Tables, 'nodes' | 'publishable'>,
  { service, slices, pods }: ComparedService,
  options: PlanOptions,
): SlicePlan | undefined {
  const selected: Pod[] = []
  const nodes = new Map<string, Node>()
  for (const [key, { digest, ports, node: name }] of pods) {
    const pod = podOfDigest(key, digest, ports)
    if (pod === undefined) return undefined
    selected.push(publishable(pod))
    const known = nodeOf(name)
    if (known !== undefined && !nodes.has(name)) nodes.set(name, nodeNamed(name, known))
  }
  return plan({ service: service.service, pods: selected, nodes: [...nodes.values()], slices }, options)
}

/** Says whether a plan of what is there writes nothing. */
export function stateOfPlan(planned: SlicePlan | undefined): SliceState {
  if (planned === undefined) return 'unknown'
  const { create, update, delete: remove } = planned
  return [create, update, remove].every(({ length }) => length === 0) ? 'right' : 'wrong'
}

/** Makes the Node as far as a plan reads it. */
export const nodeNamed = (name: string, { zone }: Pick<NodeDigest, 'zone'>): Node => ({
  metadata: { name, labels: zone === '' ? {} : { [LABEL_ZONE]: zone } },
})
