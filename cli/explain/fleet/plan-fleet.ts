import pLimit from 'p-limit'
import { dryRunFleetSync, type FleetDryRunOptions, type MemberDryRun } from '../../../shared/fleet/index.ts'
import type { ApiObject } from '../../../shared/kubernetes/index.ts'
import { errorMessage } from '../../../shared/values/index.ts'
import { counted } from '../../terminal/index.ts'
import { writeText } from './describe-fleet.ts'
import { findingOf } from './imports.ts'
import { listFleetKeys } from './list-fleet-keys.ts'
import { ownNotes, reportOwn } from './policy.ts'
import type { ImportState, OwnReport, WriteReport } from './report.ts'

/**
 * Document that `sliceflow plan --fleet -o json` prints. Fields are only ever added to a version. Services
 * are in the order of names, clusters in that of the set.
 */
export interface FleetPlan {
  readonly version: 1
  readonly clusterSet: string
  /** Number of Services of the set that were planned. */
  readonly synced: number
  /** Services of which something would be written, or cannot be. */
  readonly services: readonly PlannedService[]
  /** Clusters that could not be listed: more Services may be behind them. */
  readonly failures: readonly { readonly cluster: string; readonly error: string }[]
}

interface PlannedService {
  readonly namespace: string
  readonly service: string
  readonly clusters: readonly PlannedCluster[]
}

interface PlannedCluster {
  readonly cluster: string
  readonly state: ImportState
  readonly reason: string
  /** Cluster's own endpoints by port and family, where the policy prefers them; else absent. */
  readonly own?: readonly OwnReport[]
  readonly writes: readonly PlannedWrite[]
}

interface PlannedWrite extends WriteReport {
  /** Object that would be there; absent of a deletion. */
  readonly object?: ApiObject
}

interface PlanFleetOptions extends Omit<FleetDryRunOptions, 'namespace' | 'name'> {
  /** Limits the plan to the Services of a namespace, or to one of them; default: all of the set. */
  readonly only?: { readonly namespace: string; readonly name?: string } | undefined
  /** Called after each Service, with how many there are. */
  readonly onPlanned?: (synced: number, total: number) => void
}

/** Maximum number of Services that are read concurrently: fast, with little load for an API server. */
const CONCURRENCY = 8

/** Plans every Service of a set as its reconcile would, and writes nothing. */
export async function planFleet({ only, onPlanned, ...options }: PlanFleetOptions): Promise<FleetPlan> {
  const { keys, failures } = await listFleetKeys(options)
  const named = keys
    .map(({ namespace, service }) => ({ namespace, name: service }))
    .filter(({ namespace }) => only === undefined || namespace === only.namespace)
  const { name } = only ?? {}
  const chosen = only === undefined || name === undefined ? named : [{ namespace: only.namespace, name }]
  const limit = pLimit(CONCURRENCY)
  let synced = 0
  const services = await Promise.all(
    chosen.map((service) =>
      limit(async () => {
        const planned = await planService(options, service)
        onPlanned?.(++synced, chosen.length)
        return planned
      }),
    ),
  )
  return {
    version: 1,
    clusterSet: options.set.name,
    synced: chosen.length,
    services: services.filter(({ clusters }) => clusters.length > 0),
    failures: [...failures].map(([cluster, error]) => ({ cluster, error: errorMessage(error) })),
  }
}

async function planService(
  options: Omit<FleetDryRunOptions, 'namespace' | 'name'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<PlannedService> {
  const { members, merge } = await dryRunFleetSync({ ...options, namespace, name })
  const isExported = merge.merged !== undefined
  const clusters = members.map((dryRun): PlannedCluster => {
    const { state, reason } = findingOf(dryRun, isExported, options)
    const own = reportOwn(dryRun)
    return {
      ...{ cluster: dryRun.member.id, state, reason, writes: plannedWrites(dryRun) },
      ...(own.length > 0 && { own }),
    }
  })
  return { namespace, service: name, clusters: clusters.filter(isWorthReporting) }
}

const plannedWrites = ({ writes }: MemberDryRun): PlannedWrite[] =>
  writes
    .filter(({ refusal }) => refusal === undefined)
    .map(({ verb, kind, name, subresource, object }) => ({
      ...{ verb, kind, name },
      ...(subresource && { subresource }),
      ...(object && { object }),
    }))

const isWorthReporting = ({ state, writes }: PlannedCluster): boolean =>
  writes.length > 0 || state === 'Blocked' || state === 'Unread'

/** Writes the plan for people: a line for each write, below its Service. */
export function describeFleetPlan(plan: FleetPlan): string {
  const { clusterSet, synced, services, failures } = plan
  return [
    ...failures.map(({ cluster, error }) => `cluster ${cluster} cannot be listed: ${error}`),
    ...services.flatMap(({ namespace, service, clusters }) => [
      `${namespace}/${service}`,
      ...clusters.flatMap(clusterLines),
    ]),
    `${counted(synced, 'Service')} of the cluster set ${clusterSet}: ${summaryOf(plan)}`,
    '',
  ].join('\n')
}

const clusterLines = ({ cluster, state, reason, writes, ...planned }: PlannedCluster): string[] => [
  ...(state === 'Blocked' || state === 'Unread' ? [`  ${cluster}  ${reason}`] : []),
  ...ownNotes(planned).map((note) => `  ${cluster}  ${note}`),
  ...writes.map((write) => `  ${cluster}  ${writeText(write)}`),
]

function summaryOf({ services }: FleetPlan): string {
  const writes = writesOf({ services })
  if (writes.length === 0) return 'nothing would be written'
  const count = (verb: PlannedWrite['verb'], noun: string): string =>
    counted(writes.filter((write) => write.verb === verb).length, noun)
  return `${count('create', 'create')}, ${count('update', 'update')}, ${count('delete', 'delete')}`
}

/** Lists all writes of a plan. */
export const writesOf = ({ services }: Pick<FleetPlan, 'services'>): PlannedWrite[] =>
  services.flatMap(({ clusters }) => clusters.flatMap(({ writes }) => writes))
