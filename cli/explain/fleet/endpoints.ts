import { importsServices } from '../../../shared/cluster-sets/index.ts'
import type { Endpoint, EndpointSlice } from '../../../shared/endpointslice/index.ts'
import {
  ANNOTATION_EXPORT_TO,
  type FleetDryRun,
  type FleetDryRunOptions,
  LABEL_SOURCE_CLUSTER,
  type LeftOut,
  leftOutReason,
  type MemberDryRun,
} from '../../../shared/fleet/index.ts'
import { createAddressFilter } from '../../../shared/reconciler/index.ts'
import { findingOf } from './imports.ts'
import { choicesOf, policyNotes } from './policy.ts'
import type { Arrival, FleetEndpoint } from './report.ts'

type DryRun = Pick<FleetDryRun, 'merge' | 'members'>

/** Reports where every endpoint of the valid exports arrives, and where it does not, why. */
export function endpointsOf({ merge, members }: DryRun, options: FleetDryRunOptions): FleetEndpoint[] {
  const addresses = createAddressFilter(options.settings.refusedAddresses)
  const ports = merge.merged?.spec.ports ?? []
  const valid = new Set(merge.merged?.clusters)
  const places = members
    .filter(({ member }) => importsServices(member))
    .map((member) => arrivalsIn(member, merge, options))
  return members.flatMap(({ member: { id }, exports }) => {
    if (!valid.has(id) || exports === undefined || 'error' in exports) return []
    const { service, slices } = exports.state
    if (service === undefined) return []
    return slices.flatMap((slice) =>
      (slice.endpoints ?? []).map((endpoint): FleetEndpoint => {
        const leftOut = leftOutReason(slice, endpoint, { service, ports, addresses })
        const arrivals = places.map((arrivalOf) => arrivalOf(id, slice, endpoint, leftOut))
        return { ...described(id, slice, endpoint), ...(leftOut && { leftOut }), arrivals }
      }),
    )
  })
}

function described(
  cluster: string,
  { addressType, metadata }: EndpointSlice,
  { addresses = [], conditions: { ready, serving, terminating } = {}, hostname, zone, targetRef }: Endpoint,
): Omit<FleetEndpoint, 'arrivals'> {
  return {
    cluster,
    name: targetRef?.name ?? hostname ?? addresses[0] ?? '',
    addressType: addressType as FleetEndpoint['addressType'],
    addresses,
    ready: ready !== false,
    serving: serving ?? ready !== false,
    terminating: terminating === true,
    ...(zone !== undefined && { zone }),
    slice: metadata?.name ?? '',
  }
}

/** @returns what finds out how an endpoint arrives in the cluster, and if it does not, why */
function arrivalsIn(dryRun: MemberDryRun, { importedBy }: FleetDryRun['merge'], options: FleetDryRunOptions) {
  const { member, imports, outcome } = dryRun
  const merged = importedBy(member.id)
  const before =
    imports && 'state' in imports ? slicesByAddress(imports.state.slices) : new Map<string, string[]>()
  const after = outcome === undefined ? before : slicesByAddress(outcome.state.slices)
  const { state, reason } = findingOf(dryRun, merged !== undefined, options)
  const obstacle = ['Imported', 'Pending'].includes(state) ? undefined : reason
  const families = outcome?.state.derived?.spec?.ipFamilies ?? []
  const choices = choicesOf(dryRun)

  return (
    source: string,
    { addressType }: EndpointSlice,
    { addresses: [address = ''] = [] }: Endpoint,
    leftOut: LeftOut | undefined,
  ): Arrival => {
    const key = `${source} ${addressType} ${address}`
    const [was, becomes] = [before.get(key) ?? [], after.get(key) ?? []]
    const isThere = was.length > 0
    const chosen = policyNotes(choices, { family: addressType, address, source }, merged?.policy)
    const common = { cluster: member.id, slices: isThere ? was : becomes }
    if (becomes.length === 0) {
      const why = leftOut?.message ?? unreachedReason(source, member.id, merged) ?? obstacle
      const reasons = why === undefined ? chosen : [why]
      return { ...common, outcome: isThere ? 'Leaving' : 'LeftOut', reasons }
    }
    const notes = [obstacle, familyNote(addressType, families), ...chosen]
    const reasons = notes.filter((note) => note !== undefined)
    return { ...common, outcome: isThere ? 'Published' : 'Pending', reasons }
  }
}

/** Says that an export is not for a cluster; undefined where it is. */
const unreachedReason = (
  source: string,
  importer: string,
  merged: FleetDryRun['merge']['merged'],
): string | undefined =>
  merged?.clusters.includes(source)
    ? undefined
    : `the export of ${source} is not for ${importer} (annotation ${ANNOTATION_EXPORT_TO})`

/** Notes a family that the derived Service lacks: slices are of every family. */
const familyNote = (family: string, families: readonly string[]): string | undefined =>
  families.length === 0 || families.includes(family)
    ? undefined
    : `its family is not one of the derived Service's there (${families.join(', ')}): kube-proxy does not serve it`

/** Collects names of the slices that have an address, by `source family address`. */
function slicesByAddress(slices: readonly EndpointSlice[]): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const { metadata, addressType, endpoints } of slices) {
    const source = metadata?.labels?.[LABEL_SOURCE_CLUSTER] ?? ''
    for (const [address] of (endpoints ?? []).map((endpoint) => endpoint.addresses ?? [])) {
      const key = `${source} ${addressType} ${address}`
      names.set(key, [...(names.get(key) ?? []), metadata?.name ?? ''])
    }
  }
  return names
}
