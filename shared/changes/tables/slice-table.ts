import {
  type EndpointSlice,
  isMirror,
  isPlaceholder,
  type PortSetKey,
  portSetKey,
} from '../../endpointslice/index.ts'
import { createObjectTable, labelName, type ObjectTable } from '../../kubernetes/index.ts'
import { ownerOf, ownerText } from '../key-queue/key.ts'
import { isOurs } from '../seal/leftovers.ts'
import { isSealed, isSealedForDeletion } from '../seal/seal.ts'
import { knownVersion } from './digests.ts'
import { SetMap } from './set-map.ts'
import { DeliveredMark } from './version-mark.ts'

export interface SliceEntry {
  readonly name: string
  /** Text of its owner, such as `namespace/name` of its Service; empty where its labels name none. */
  readonly service: string
  /** Empty where the API server reported none that a message may carry. */
  readonly resourceVersion: string
  readonly addressType: string | undefined
  readonly portSet: PortSetKey
  readonly endpoints: number
  readonly isPlaceholder: boolean
  /** The Pods of its own namespace that its endpoints refer to, by name. */
  readonly pods: ReadonlySet<string>
  /** Whether it is as we wrote it. */
  readonly isSealed: boolean
  /** Whether one of us has emptied it, to delete it. */
  readonly isSealedForDeletion: boolean
  /** Whether we made it. */
  readonly isOurs: boolean
  /** True if it mirrors Endpoints. */
  readonly isMirror: boolean
  readonly text: SliceText
}

/** The slices of a cluster, found by name and by Service. */
export interface SliceTable extends Pick<ObjectTable<SliceEntry>, 'get' | 'entries' | 'size' | 'listing'> {
  /**
   * Every change up to this version is in the table; `undefined` during a list and where versions are no
   * numbers.
   */
  readonly version: string | undefined
  /** Whether it was listed before: what an event brings is news only then. */
  readonly hasListed: boolean
  /** Returns the entry before and after. */
  put(key: string, slice: EndpointSlice): { before: SliceEntry | undefined; after: SliceEntry }
  /** @param slice as it was when it was deleted */
  delete(key: string, slice: EndpointSlice): SliceEntry | undefined
  /** Notes that the list is complete, as of this version: removes and returns what it did not name. */
  listed(resourceVersion: string | undefined): SliceEntry[]
  bookmark(resourceVersion: string): void
  /** @param service text of an owner, see ownerText() */
  of(service: string): ReadonlySet<SliceEntry>
  /** Returns all owners that slices name, each as text. */
  services(): Iterable<string>
}

/** A slice whose label names no Service belongs to none. */
export const NO_SERVICE = ''

/** @param ofSelectors whether slices may be of EndpointSelectors; default: such slices belong to no owner */
export function createSliceTable(ofSelectors = false): SliceTable {
  const table = createObjectTable<SliceEntry>()
  const byService = new SetMap<string, SliceEntry>()
  const seen = new DeliveredMark()
  let hasListed = false

  const unindex = (entry: SliceEntry): void => byService.delete(entry.service, entry)

  return {
    ...table,
    get version() {
      return seen.version
    },
    get hasListed() {
      return hasListed
    },
    listing() {
      seen.listing()
      table.listing()
    },
    listed(resourceVersion) {
      hasListed = true
      seen.listed(resourceVersion)
      const gone = table.listed().map(([, entry]) => entry)
      for (const entry of gone) unindex(entry)
      return gone
    },
    bookmark: (resourceVersion) => seen.delivered(resourceVersion),
    put(key, slice) {
      seen.delivered(slice.metadata?.resourceVersion)
      const before = table.get(key)
      if (before !== undefined) unindex(before)
      const after = entryOf(slice, ofSelectors)
      table.set(key, after)
      byService.add(after.service, after)
      return { before, after }
    },
    delete(key, slice) {
      seen.delivered(slice.metadata?.resourceVersion)
      const entry = table.get(key)
      if (entry !== undefined) unindex(entry)
      table.delete(key)
      return entry
    },
    services: () => byService.keys(),
    of: (service) => byService.get(service),
  }
}

function entryOf(slice: EndpointSlice, ofSelectors: boolean): SliceEntry {
  const { metadata, addressType, endpoints, ports } = slice
  return {
    name: metadata?.name ?? '',
    service: ownerTextOf(slice, ofSelectors),
    resourceVersion: knownVersion(metadata?.resourceVersion) ?? '',
    addressType,
    portSet: portSetKey(ports ?? []),
    endpoints: endpoints?.length ?? 0,
    isPlaceholder: isPlaceholder(slice),
    pods: podsOf(slice),
    isSealed: isSealed(slice),
    isSealedForDeletion: isSealedForDeletion(slice),
    isOurs: isOurs(slice),
    isMirror: isMirror(slice),
    text: sliceText(slice),
  }
}

function podsOf({ metadata, endpoints }: EndpointSlice): Set<string> {
  const names = new Set<string>()
  for (const { targetRef } of endpoints ?? []) {
    const isOwnPod = targetRef?.kind === 'Pod' && targetRef.namespace === metadata?.namespace
    if (isOwnPod && targetRef.name !== undefined) names.add(targetRef.name)
  }
  return names
}

function ownerTextOf(slice: EndpointSlice, ofSelectors: boolean): string {
  const owner = ownerOf(slice)
  if (owner === undefined || labelName(owner.service).length > 0) return NO_SERVICE
  return owner.ownerKind !== undefined && !ofSelectors ? NO_SERVICE : ownerText(owner)
}

/**
 * A slice as far as a plan reads it, as texts: a fourth of the memory that its objects take. What differs
 * between two of them is found without reading them again.
 */
interface SliceText {
  /** All but the endpoints. */
  readonly common: string
  /** Of each endpoint. */
  readonly endpoints: readonly string[]
}

function sliceText({ metadata, addressType, endpoints, ports }: EndpointSlice): SliceText {
  const { name, namespace, labels, ownerReferences, deletionTimestamp } = metadata ?? {}
  const read = { name, namespace, labels, ownerReferences, deletionTimestamp }
  return {
    common: JSON.stringify({ metadata: read, addressType, ports }),
    endpoints: endpoints?.map((endpoint) => JSON.stringify(endpoint)) ?? [],
  }
}

export const parseSliceText = ({ common, endpoints }: SliceText): EndpointSlice => ({
  ...JSON.parse(common),
  endpoints: JSON.parse(`[${endpoints.join()}]`),
})
