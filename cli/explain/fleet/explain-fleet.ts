import { clusterSetIn, exportsServices } from '../../../shared/cluster-sets/index.ts'
import {
  dryRunFleetSync,
  type FleetDryRun,
  type FleetDryRunOptions,
  type MemberDryRun,
  portText,
  type ServiceExport,
} from '../../../shared/fleet/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { endpointsOf } from './endpoints.ts'
import { NOT_SERVED, reportImport } from './imports.ts'
import { policyWarnings, reportPolicy } from './policy.ts'
import type { ExportReport, FleetReport, MergedReport } from './report.ts'

/**
 * Reads what is behind a Service of a cluster set in all of its clusters, and says who exports it, who wins,
 * which endpoint arrives where, and what the next reconcile would write. Nothing is written.
 * @returns `undefined` when no cluster that could be read exports or imports it
 */
export async function explainFleetService(options: FleetDryRunOptions): Promise<FleetReport | undefined> {
  const { set, namespace, name } = options
  const dryRun = await dryRunFleetSync(options)
  const isShared = clusterSetIn(set, namespace) !== undefined
  if (isShared && !isKnown(dryRun)) return undefined
  const warnings = isShared
    ? [...dryRun.members.flatMap(warningsOf), ...policyWarnings(dryRun)]
    : [
        `namespace ${namespace} is not shared by the set (${set.namespaces.join(', ')}): nothing of it is exported or imported, and what is there stays as it is. To have it removed, name ${namespace}=leave among the namespaces of the set`,
      ]
  const merged = mergedOf(dryRun)
  return {
    version: 1,
    clusterSet: set.name,
    namespace,
    service: name,
    ...(merged && { merged }),
    exports: isShared ? dryRun.members.map((member) => reportExport(member, dryRun)) : [],
    imports: isShared ? dryRun.members.map((member) => reportImport(member, dryRun, options)) : [],
    endpoints: endpointsOf(dryRun, options),
    warnings,
  }
}

/** Counts a member that could not be read as one that may have it. */
const isKnown = ({ members }: FleetDryRun): boolean =>
  members.some(
    ({ exports, imports }) =>
      (exports && ('error' in exports || exports.state.export !== undefined)) ||
      (imports &&
        ('error' in imports || imports.state.import !== undefined || imports.state.slices.length > 0)),
  )

function mergedOf({ merge: { merged } }: FleetDryRun): MergedReport | undefined {
  const [oldest, ...others] = merged?.clusters ?? []
  if (merged === undefined || oldest === undefined) return undefined
  return {
    type: merged.spec.type,
    ports: merged.spec.ports.map(portText),
    clusters: [oldest, ...others],
    ...(merged.policy && { policy: reportPolicy(merged.policy) }),
  }
}

function warningsOf({ member: { id, problem }, exports, imports, failure }: MemberDryRun): string[] {
  if (problem !== undefined) return [`${problem}: nothing is read of it or written there`]
  const read = [exports, imports].find((result) => result !== undefined && 'error' in result)
  if (read !== undefined && 'error' in read)
    return [
      `cluster ${id} cannot be read: ${errorMessage(read.error)}. What it exports stays in the others as the setting unreachableCluster says`,
    ]
  return failure === undefined ? [] : [`cluster ${id} cannot be brought up to date: ${errorMessage(failure)}`]
}

function reportExport(dryRun: MemberDryRun, { merge }: FleetDryRun): ExportReport {
  const { member, isServed, exports, writes } = dryRun
  const common = {
    cluster: member.id,
    context: member.cluster,
    wins: false,
    conditions: [],
    areConditionsWritten: true,
  }
  if (member.problem !== undefined) return { ...common, state: 'Unread', reason: member.problem }
  if (!exportsServices(member)) {
    const reason = member.role === 'leave' ? 'it leaves the set' : 'it only imports'
    return { ...common, state: 'None', reason }
  }
  if (!isServed) return { ...common, state: 'Unserved', reason: NOT_SERVED }
  if (exports === undefined || 'error' in exports)
    return { ...common, state: 'Unread', reason: errorMessage(exports?.error) }
  const object = exports.state.export
  if (object === undefined) return { ...common, state: 'Absent', reason: 'there is no ServiceExport' }
  const pending = writes.findLast(({ kind }) => kind === 'ServiceExport')?.object as ServiceExport | undefined
  const valid = merge.wantedConditions.get(member.id)?.find(({ type }) => type === 'Valid')
  const { creationTimestamp: created } = object.metadata ?? {}
  return {
    ...common,
    state: valid?.status === 'True' ? 'Exported' : 'Invalid',
    reason: valid?.message ?? '',
    ...(created !== undefined && { created }),
    wins: merge.merged?.clusters[0] === member.id,
    conditions: (pending ?? object).status?.conditions ?? [],
    areConditionsWritten: pending === undefined,
  }
}
