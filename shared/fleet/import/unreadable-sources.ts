import type { EndpointSlice } from '../../endpointslice/index.ts'
import { policyFor, type UnreachablePolicy, unverified } from '../../reconciler/index.ts'
import { timeText } from '../export/export-status.ts'
import type { FleetContext } from '../fleet-context.ts'
import { sourceOf } from '../import-owner.ts'
import type { ImportState } from '../read/read-fleet.ts'
import type { ServiceImport } from '../resources.ts'
import { isOwnedBy, ownedBy } from './derived-service.ts'
import { type Outage, type Outages, reportedOutages } from './unreachable-clusters.ts'

export interface UnreadableSources {
  /** Ids of clusters that have a part in the import, and whose slices stay as they are. */
  readonly frozen: ReadonlySet<string>
  /** Slices with a note since when they could not be verified. */
  readonly noted: readonly EndpointSlice[]
  /** Slices without addresses that are refused by now. */
  readonly filtered: readonly EndpointSlice[]
  /** Outages to report: of clusters that had a part, also where that is gone by now. */
  readonly outages: Outages
}

/** Decides about the parts of the clusters whose exports are unknown. */
export function unreadableSources(
  { import: object, slices }: ImportState,
  { unknown }: { readonly unknown: ReadonlyMap<string, unknown> },
  { settings, guards, mayBeMissed = () => false, now }: FleetContext,
): UnreadableSources {
  const frozen = new Set<string>()
  const noted: EndpointSlice[] = []
  const filtered: EndpointSlice[] = []
  const outages = new Map<string, Outage>()
  const reported = reportedOutages(object)
  const contributed = new Set((object?.status?.clusters ?? []).map(({ cluster }) => cluster))
  const policies = [...unknown].map(([id, error]) => [id, policyFor(error, settings)] as const)
  const missed = missedSources(slices, mayBeMissed).map((id) => [id, MISSED_POLICY] as const)
  for (const [id, policy] of [...policies, ...missed]) {
    const own = slices.filter((slice) => sourceOf(slice) === id)
    const hasPart = contributed.has(id) || own.length > 0
    if (!hasPart && !reported.has(id)) continue
    const outcome = unverified({ slices: own, policy, addresses: guards.addresses, now: now() })
    // Without a slice there is no note that could ever expire.
    const stays =
      hasPart && outcome.kind === 'stay' && (own.length > 0 || policy.unreachableCluster === 'keep')
    outages.set(id, {
      since: reported.get(id) ?? timeText(now()),
      fate: stays ? frozenText(policy) : 'its endpoints are left out',
    })
    if (!stays) continue
    frozen.add(id)
    noted.push(...outcome.noted)
    filtered.push(...outcome.filtered)
  }
  return { frozen, noted, filtered, outages }
}

/**
 * The endpoints of a cluster that is not read, without an error, stay for this time, in seconds: later
 * syncs, also of other processes, confirm that it is gone. The note on its slices remembers since when, and
 * goes once one of them has read it.
 */
const MISSED_POLICY: UnreachablePolicy = { unreachableCluster: 'expire', unreachableClusterExpiry: 300 }

/** Lists the clusters, by id, that have endpoints in an import and may be missed. */
function missedSources(slices: readonly EndpointSlice[], mayBeMissed: (id: string) => boolean): string[] {
  const ids = slices.filter(({ endpoints }) => (endpoints ?? []).length > 0).map(sourceOf)
  return [...new Set(ids)].filter((id) => id !== '' && mayBeMissed(id))
}

/** Says how long endpoints stay that cannot be verified. */
const frozenText = ({ unreachableCluster, unreachableClusterExpiry }: UnreachablePolicy): string =>
  unreachableCluster === 'expire'
    ? `its endpoints stay as they were, for ${unreachableClusterExpiry} s at most`
    : 'its endpoints stay as they were'

/** Gives slices that stay to an import that was made again, so that they are not garbage-collected. */
export function adoptedBy(
  object: ServiceImport,
  slices: readonly EndpointSlice[],
  { frozen, noted, filtered }: UnreadableSources,
): Pick<UnreadableSources, 'noted' | 'filtered'> {
  const left = slices.filter((slice) => frozen.has(sourceOf(slice)) && !isOwnedBy(slice, object.metadata))
  const names = new Set(left.map(({ metadata }) => metadata?.name))
  const own = (slice: EndpointSlice): EndpointSlice =>
    names.has(slice.metadata?.name)
      ? { ...slice, metadata: { ...slice.metadata, ownerReferences: [ownedBy(object)] } }
      : slice
  const others = left.filter(({ metadata }) =>
    [...noted, ...filtered].every((slice) => slice.metadata?.name !== metadata?.name),
  )
  return { noted: [...noted, ...others].map(own), filtered: filtered.map(own) }
}
