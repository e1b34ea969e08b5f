import {
  leftBehindAdvice,
  otherOwner,
  STAYS_BEHIND_ADVICE,
  unpublishedAdvice,
} from '../../../shared/changes/index.ts'
import { guardProblems, secondControllerAdvice } from '../../../shared/reconciler/index.ts'
import type { RelayReport } from '../../deployment/read-relay.ts'
import type { LeftBehind } from '../../inventory/read-inventory.ts'
import type { GuardStatus, SecondControllerStatus } from '../../local/index.ts'
import { counted, listText } from '../../terminal/index.ts'
import {
  type ClusterReport,
  countsText,
  type QueueReport,
  type ReachableCluster,
  type StatusReport,
} from './report.ts'

/** Named of a list that may be long. */
const EXAMPLES = 3

/** Lists the problems that need attention, one line each. */
export function problemsOf({
  clusters,
  relay,
  queues = [],
}: Pick<StatusReport, 'clusters' | 'relay' | 'queues'>): string[] {
  return [
    ...clusters.flatMap(ofCluster),
    ...secondControllers(clusters, relay),
    ...(relay === undefined ? [] : [...ofRelay(relay), ...guardsOfRelay(relay, clusters)]),
    ...queues.flatMap(ofQueue),
  ]
}

function ofCluster(cluster: ClusterReport): string[] {
  if (!cluster.reachable) return [`cluster ${cluster.name} cannot be read: ${cluster.error}`]
  const { name, invalid, held, fights, check } = cluster
  // A shadow beside another controller finds that one at work, and has nothing of its own.
  const isShadow = check.kind === 'shadow'
  const orphans = isShadow ? [] : cluster.orphans
  const both = isShadow ? [] : cluster.doublyManaged
  const differ = isShadow ? 'not as we would publish it' : 'out of date'
  const outdated = check.outdated.map(({ key, differences }) => `${key} (${shortened(differences)})`)
  return [
    ...list(`cluster ${name}: ${counted(outdated.length, 'Service')} ${differ}`, outdated),
    ...list(
      `cluster ${name}: ${counted(check.failed.length, 'Service')} could not be checked`,
      failures(check),
    ),
    ...list(
      `cluster ${name}: ${counted(orphans.length, 'slice')} of ours whose Service is not managed`,
      orphans,
    ),
    ...(isShadow ? [] : leftBehindOf(cluster)),
    ...list(
      `cluster ${name}: ${counted(both.length, 'Service')} that the in-tree controller manages too`,
      both,
    ),
    ...list(`cluster ${name}: ${counted(invalid.length, 'Service')} with an invalid annotation`, invalid),
    ...list(`cluster ${name}: ${counted(held.length, 'Service')} ${GUARD_TEXTS.held}`, held),
    ...list(`cluster ${name}: ${counted(fights.length, 'slice')} ${GUARD_TEXTS.fights}`, fights),
  ]
}

const GUARD_TEXTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...guardProblems()].map(([name, { status }]) => [name, status])),
  unwritten: 'with imports that cannot be written (sliceflow explain --fleet shows why)',
}

/** Lists what waits for a person, as the run knows it, without what a cluster's slices say themselves. */
function guardsOfRelay(relay: RelayReport, clusters: readonly ClusterReport[]): string[] {
  const read = new Map(clusters.map((cluster) => [cluster.name, cluster]))
  const lines = (of: string, { problems = {} }: GuardStatus, known: object = {}): string[] =>
    Object.entries(GUARD_TEXTS).flatMap(([guard, text]) => {
      const { total = 0, services = [] } = guard in known ? {} : (problems[guard] ?? {})
      return list(`${of}: ${counted(total, 'Service')} ${text}`, services, total)
    })
  return [
    ...(relay.clusters ?? []).flatMap((cluster) =>
      lines(`cluster ${cluster.name}`, cluster, read.get(cluster.name)),
    ),
    ...(relay.clusterSets ?? []).flatMap((set) => lines(`cluster set ${set.name}`, set)),
  ]
}

/**
 * Lists the controllers that write slices of ours, too: of a cluster that the relay follows those that it has
 * seen since its start, of others those of the last minutes.
 */
function secondControllers(clusters: readonly ClusterReport[], relay: RelayReport | undefined): string[] {
  const followed = new Map(relay?.clusters?.map((cluster) => [cluster.name, cluster]))
  const names = new Set([...clusters.map(({ name }) => name), ...followed.keys()])
  const read = new Map(clusters.map((cluster) => [cluster.name, cluster]))
  return [...names].flatMap((name) => {
    const known = followed.get(name)
    const found = known === undefined ? ofInventory(read.get(name)) : (known.secondControllers ?? [])
    return found.map(
      (second) =>
        `cluster ${name}: ${second.manager} writes slices that Sliceflow manages (${second.service} at ${second.at}): ${secondControllerAdvice(second)}`,
    )
  })
}

/** A shadow is to find another controller at work. */
const ofInventory = (cluster: ClusterReport | undefined): readonly SecondControllerStatus[] =>
  cluster?.reachable && cluster.check.kind !== 'shadow' ? cluster.secondControllers : []

function leftBehindOf({ name, leftBehind, managedBy }: ReachableCluster): string[] {
  const byReason = Map.groupBy(leftBehind, (each) => leftBehindText(each, managedBy))
  return [...byReason].flatMap(([what, found]) =>
    list(
      `cluster ${name}: ${counted(found.length, 'slice')} of ours ${what}`,
      found.map(({ slice }) => slice),
    ),
  )
}

function leftBehindText({ managedBy, ownerKind }: LeftBehind, own: string): string {
  if (managedBy !== own)
    return `with managed-by ${managedBy}, which nothing updates (${leftBehindAdvice(managedBy)})`
  const other = otherOwner(ownerKind)
  return other === undefined
    ? `of Services that this mode does not manage, which nothing updates (${STAYS_BEHIND_ADVICE})`
    : `of ${ownerKind}s (${unpublishedAdvice(other, managedBy)})`
}

const failures = ({ failed }: ReachableCluster['check']): string[] =>
  failed.map(({ key, error }) => `${key} (${error})`)

const shortened = ([first = '', ...more]: readonly string[]): string =>
  more.length === 0 ? first : `${first}, and ${more.length} more`

const list = (what: string, names: readonly string[], total = names.length): string[] =>
  names.length === 0 ? [] : [`${what}: ${listText(names, EXAMPLES, total)}`]

function ofRelay({ url, error, ready, readiness, clusters = [], clusterSets = [] }: RelayReport): string[] {
  if (error !== undefined) return [`relay ${url}: ${error}`]
  const same = clusters.flatMap(({ name, sameAs }) => (sameAs === undefined ? [] : `${name} is ${sameAs}`))
  const unsynced = clusters.filter(({ syncedAt, sameAs }) => syncedAt === undefined && sameAs === undefined)
  const out = clusters.filter(({ unreachable }) => unreachable)
  return [
    ...(ready === false ? [`relay ${url} is not ready: ${readiness}`] : []),
    ...list(`relay ${url}: ${counted(same.length, 'cluster')} left out, followed under another name`, same),
    ...list(
      `relay ${url}: ${counted(unsynced.length, 'cluster')} never listed`,
      unsynced.map(({ name }) => name),
    ),
    ...list(
      `relay ${url}: ${counted(out.length, 'cluster')} it cannot reach, or not by every watch`,
      out.map(({ name }) => name),
    ),
    ...clusterSets.flatMap(({ name, conflicts }) =>
      conflicts === 0
        ? []
        : [
            `cluster set ${name}: ${counted(conflicts, 'Service')} whose exports differ (sliceflow explain --fleet shows how)`,
          ],
    ),
  ]
}

function ofQueue({ queue, url, error, waiting = 0, inFlight = 0, classes }: QueueReport): string[] {
  if (error !== undefined) return [`queue ${url}: ${error}`]
  const letters = waiting + inFlight
  if (queue !== 'dead-letters' || letters === 0) return []
  const kinds = countsText(classes)
  return [
    `${counted(letters, 'dead letter')}${kinds === '' ? '' : ` (${kinds})`}: see sliceflow dead-letters --help`,
  ]
}
