import {
  type EndpointSlice,
  isMirror,
  isPlaceholder,
  type PortSetKey,
  portSetKey,
} from '../../endpointslice/index.ts'
import type { ContentSettings } from '../../settings/index.ts'
import { ownerOf, ownerText } from '../key-queue/key.ts'
import { isPublished } from '../owners/find-owner.ts'
import { isOurs } from '../seal/leftovers.ts'
import { isSealed } from '../seal/seal.ts'
import { createDeliveredTable } from './delivered-table.ts'
import { knownVersion } from './digests.ts'
import { SetMap } from './set-map.ts'

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
  /** Texts of its endpoints, by the Pods of its own namespace that they refer to. */
  readonly pods: ReadonlyMap<string, string>
  /** Text of those that refer to no such Pod. */
  readonly otherEndpoints: string
  /** Text of all else that a plan reads of it. */
  readonly common: string
  /** Whether it is as we wrote it. */
  readonly isSealed: boolean
  /** Whether we made it. */
  readonly isOurs: boolean
  /** True if it mirrors Endpoints. */
  readonly isMirror: boolean
}

/** A slice whose label names no Service belongs to none. */
export const NO_SERVICE = ''

export type SliceTable = ReturnType<typeof createSliceTable>

/**
 * The slices of a cluster, found by name and by Service.
 * @param settings say of which kinds of owners slices are published; those of others belong to no owner
 */
export function createSliceTable(settings: Partial<ContentSettings> = {}) {
  const byService = new SetMap<string, SliceEntry>()
  const table = createDeliveredTable<SliceEntry>((before, after) => {
    if (before !== undefined) byService.delete(before.service, before)
    if (after !== undefined) byService.add(after.service, after)
  })
  return {
    ...table,
    /** Returns the entry before and after. */
    put(key: string, slice: EndpointSlice): { before: SliceEntry | undefined; after: SliceEntry } {
      table.delivered(slice.metadata?.resourceVersion)
      const after = entryOf(slice, settings)
      return { before: table.set(key, after), after }
    },
    /** @param slice as it was when it was deleted */
    delete(key: string, slice: EndpointSlice): SliceEntry | undefined {
      table.delivered(slice.metadata?.resourceVersion)
      return table.delete(key)
    },
    /** Returns all owners that slices name, each as text. */
    services: (): Iterable<string> => byService.keys(),
    /** Counts our slices of owners that the settings publish none of, by the owners' kinds. */
    unpublished(): ReadonlyMap<string, number> {
      const ours = [...byService.get(NO_SERVICE)].filter((slice) => slice.isOurs)
      const kinds = ours.map((slice) => ownerOf(sliceOfEntry(slice, []))?.ownerKind)
      const counts = new Map<string, number>()
      for (const kind of kinds) if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1)
      return counts
    },
    /** @param service text of an owner, see ownerText() */
    of: (service: string): ReadonlySet<SliceEntry> => byService.get(service),
  }
}

function entryOf(slice: EndpointSlice, settings: Partial<ContentSettings>): SliceEntry {
  const { metadata, addressType, endpoints, ports } = slice
  const { name, namespace, labels, ownerReferences, deletionTimestamp } = metadata ?? {}
  const read = { name, namespace, labels, ownerReferences, deletionTimestamp }
  return {
    ...endpointTexts(slice),
    common: JSON.stringify({ metadata: read, addressType, ports }),
    name: metadata?.name ?? '',
    service: ownerTextOf(slice, settings),
    resourceVersion: knownVersion(metadata?.resourceVersion) ?? '',
    addressType,
    portSet: portSetKey(ports ?? []),
    endpoints: endpoints?.length ?? 0,
    isPlaceholder: isPlaceholder(slice),
    isSealed: isSealed(slice),
    isOurs: isOurs(slice),
    isMirror: isMirror(slice),
  }
}

/** Writes endpoints as texts, which take a fourth of the memory that their objects take. */
function endpointTexts({ metadata, endpoints }: EndpointSlice): Pick<SliceEntry, 'pods' | 'otherEndpoints'> {
  const pods = new Map<string, string>()
  let otherEndpoints = ''
  for (const endpoint of endpoints ?? []) {
    const { kind, namespace, name } = endpoint.targetRef ?? {}
    const text = JSON.stringify(endpoint)
    if (kind !== 'Pod' || namespace !== metadata?.namespace || name === undefined)
      otherEndpoints = joined(otherEndpoints, text)
    else pods.set(name, joined(pods.get(name), text))
  }
  return { pods, otherEndpoints }
}

const joined = (texts: string | undefined, text: string): string => (texts ? `${texts},${text}` : text)

/**
 * Makes the slice again as far as a plan reads it.
 * @param names of the Pods whose endpoints are read; default: all
 */
export function sliceOfEntry(
  { common, pods, otherEndpoints }: SliceEntry,
  names: Iterable<string> = pods.keys(),
): EndpointSlice {
  let texts = otherEndpoints
  for (const name of names) {
    const text = pods.get(name)
    if (text !== undefined) texts = joined(texts, text)
  }
  return { ...JSON.parse(common), endpoints: JSON.parse(`[${texts}]`) }
}

function ownerTextOf(slice: EndpointSlice, settings: Partial<ContentSettings>): string {
  const owner = ownerOf(slice)
  return owner !== undefined && isPublished(owner.ownerKind, settings) ? ownerText(owner) : NO_SERVICE
}
