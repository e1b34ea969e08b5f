import { holdsImports, importsServices } from '../../../shared/cluster-sets/index.ts'
import type { Endpoint, EndpointSlice } from '../../../shared/endpointslice/index.ts'
import {
  derivedServiceName,
  type FleetDryRun,
  type FleetDryRunOptions,
  LABEL_SOURCE_CLUSTER,
  type MemberDryRun,
  type ServiceImport,
} from '../../../shared/fleet/index.ts'
import { fightEvent } from '../../../shared/reconciler/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { heldElsewhere } from '../explain-plan.ts'
import { reportOwn, reportServing } from './policy.ts'
import type { ImportReport, ImportState, SourceReport, WriteReport } from './report.ts'

/** Words for a cluster that lacks the definitions. */
export const NOT_SERVED =
  'it does not serve the API multicluster.x-k8s.io (sliceflow crds --fleet prints its definitions)'

interface Finding {
  readonly state: ImportState
  readonly reason: string
}

/** Describes the import in one cluster, and what a reconcile would change. */
export function reportImport(
  dryRun: MemberDryRun,
  { merge, members }: FleetDryRun,
  options: FleetDryRunOptions,
): ImportReport {
  const { member, imports } = dryRun
  const before = imports && 'state' in imports ? imports.state : undefined
  const ips = before?.import?.spec?.ips ?? []
  const own = reportOwn(dryRun)
  const selects = merge.importedBy(member.id)?.spec.clusterSelectors !== undefined
  const isHeadless = (before?.import?.spec ?? merge.merged?.spec)?.type !== 'ClusterSetIP'
  return {
    cluster: member.id,
    context: member.cluster,
    ...findingOf(dryRun, merge.importedBy(member.id) !== undefined, options),
    ips,
    ...(!isHeadless && { derivedService: derivedServiceName(options.namespace, options.name) }),
    sources: before === undefined ? [] : sourcesOf(before.slices, exportedSlices(members, merge)),
    ...(own.length > 0 && { own }),
    ...(selects && { serving: reportServing(dryRun) }),
    writes: writesOf(dryRun),
  }
}

/** Finds out why nothing can be imported, or what is not as it ought to be. */
export function findingOf(
  dryRun: MemberDryRun,
  isExported: boolean,
  options: Pick<FleetDryRunOptions, 'settings' | 'now'>,
): Finding {
  const { member, imports, failure, writes } = dryRun
  const isWanted = isExported && importsServices(member)
  const absence = absenceOf(dryRun)
  if (absence !== undefined) return absence
  if (imports === undefined || 'error' in imports)
    return { state: 'Unread', reason: errorMessage(imports?.error ?? failure) }
  const obstacle = obstacleOf(dryRun, isWanted, options)
  if (obstacle !== undefined) return { state: 'Blocked', reason: obstacle }
  if (importWrites(writes).length > 0)
    return {
      state: 'Pending',
      reason: isWanted ? 'a reconcile would write it' : 'a reconcile would remove it',
    }
  return isWanted
    ? { state: 'Imported', reason: conditionText(imports.state.import) }
    : { state: 'Absent', reason: isExported ? 'it leaves the set' : 'no cluster has a valid export' }
}

/** Finds out why a member is not even asked for imports. */
function absenceOf({ member, isServed }: MemberDryRun): Finding | undefined {
  if (member.problem !== undefined) return { state: 'Unread', reason: member.problem }
  if (!holdsImports(member)) return { state: 'None', reason: 'it only exports' }
  return isServed ? undefined : { state: 'Unserved', reason: NOT_SERVED }
}

/** Finds out what stands in the way of an import, in words. */
function obstacleOf(
  { imports, outcome, failure, writes }: MemberDryRun,
  isWanted: boolean,
  { settings, now }: Pick<FleetDryRunOptions, 'settings' | 'now'>,
): string | undefined {
  if (failure !== undefined) return errorMessage(failure)
  if (outcome?.problem !== undefined && isWanted) return outcome.problem
  const refusal = writes.find((write) => write.refusal !== undefined)?.refusal
  if (refusal !== undefined) return refusal.message
  const object = imports && 'state' in imports ? imports.state.import : undefined
  if (object?.metadata?.deletionTimestamp !== undefined) return 'the ServiceImport is being deleted'
  if (imports !== undefined && 'state' in imports && writes.length > 0) {
    const elsewhere = heldElsewhere(imports.state.slices, object?.metadata, settings, now())
    if (elsewhere !== undefined) return elsewhere
  }
  return outcome && guardText(outcome)
}

function guardText({ findings, fights }: NonNullable<MemberDryRun['outcome']>): string | undefined {
  const blocking = findings.find(({ instead }) => instead !== undefined)
  const [fight] = fights
  return blocking?.events[0]?.message ?? (fight && fightEvent(fight).message)
}

const conditionText = (object: ServiceImport | undefined): string =>
  object?.status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? 'it is there'

/** Leaves out conditions of a ServiceExport, which are no part of the import. */
const importWrites = (writes: MemberDryRun['writes']): MemberDryRun['writes'] =>
  writes.filter(({ kind }) => kind !== 'ServiceExport')

/** Lists them in their order, but for those that the API server would refuse. */
const writesOf = ({ writes }: MemberDryRun): WriteReport[] =>
  writes
    .filter(({ refusal }) => refusal === undefined)
    .map(({ verb, kind, name, subresource }) => ({ verb, kind, name, ...(subresource && { subresource }) }))

type SlicesByCluster = ReadonlyMap<string, readonly EndpointSlice[]>

/** Returns the slices behind the valid exports of the clusters that could be read. */
function exportedSlices(members: FleetDryRun['members'], { merged }: FleetDryRun['merge']): SlicesByCluster {
  const valid = new Set(merged?.clusters)
  return new Map(
    members.flatMap(({ member: { id }, exports }) =>
      valid.has(id) && exports !== undefined && 'state' in exports ? [[id, exports.state.slices]] : [],
    ),
  )
}

/** Counts the endpoints of each cluster: those that are imported, and those that it exports in vain. */
function sourcesOf(imported: readonly EndpointSlice[], exported: SlicesByCluster): SourceReport[] {
  const bySource = Map.groupBy(imported, ({ metadata }) => metadata?.labels?.[LABEL_SOURCE_CLUSTER] ?? '')
  const clusters = new Set([...bySource.keys(), ...exported.keys()])
  return [...clusters].sort().map((cluster) => {
    const slices = bySource.get(cluster) ?? []
    return {
      cluster,
      slices: slices.length,
      endpoints: addressesOf(slices).union(addressesOf(exported.get(cluster) ?? [])).size,
      ready: addressesOf(slices, isReady).size,
    }
  })
}

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready !== false

/** Collects the addresses of endpoints: each once, though it stands in a slice for every set of ports. */
const addressesOf = (
  slices: readonly EndpointSlice[],
  counts: (endpoint: Endpoint) => boolean = () => true,
): Set<string> =>
  new Set(
    slices.flatMap(({ addressType, endpoints }) =>
      (endpoints ?? []).filter(counts).map(({ addresses }) => `${addressType} ${addresses?.[0] ?? ''}`),
    ),
  )
