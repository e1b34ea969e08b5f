import { type ClusterSetEntry, NO_CLUSTER_SETS, parseClusterSets } from '../../../shared/settings/index.ts'
import { printable } from '../../../shared/telemetry/index.ts'
import type { RelayReport } from '../../deployment/read-relay.ts'
import type { ClusterSetStatus, ClusterStatus, FailureStatus } from '../../local/index.ts'
import {
  ageText,
  columns,
  counted,
  durationText,
  fitted,
  listText,
  type Terminal,
} from '../../terminal/index.ts'
import { type ClusterReport, countsText, type QueueReport, type StatusReport } from './report.ts'

const CLUSTER_HEADER = ['NAME', 'API SERVER', 'SERVICES', 'SLICES', 'ENDPOINTS', 'ORPHANS', 'LEFT BEHIND']
const LAG_HEADER = ['FAILURES', 'LAG P50', 'P99', 'MAXIMUM']
const LAST_HEADER = ['LISTED', 'LAST CHANGE', 'LAST SYNC', 'LAST SWEEP', 'LAST AUDIT']
const RELAY_HEADER = ['CLUSTER', ...LAST_HEADER, ...LAG_HEADER]
const SET_COUNTS = ['SERVICES', 'EXPORTS', 'IMPORTS', 'CONFLICTS', 'BLOCKED']
const SET_HEADER = ['CLUSTER SET', ...SET_COUNTS, ...LAG_HEADER]
const QUEUE_HEADER = ['QUEUE', 'WAITING', 'IN FLIGHT', 'DELAYED', 'OLDEST', 'CLASSES']

type Output = Pick<Terminal, 'style' | 'isTerminal' | 'columns'>

const PLAIN: Output = { isTerminal: false, columns: 80, style: (_, text) => text }

/**
 * Writes the report for people.
 * @param now in milliseconds, for ages
 * @param terminal that it is for; default: none
 */
export function describeStatus(
  { clusters, relay, queues, problems }: StatusReport,
  now: number,
  terminal: Output = PLAIN,
): string {
  const lines = [
    'Clusters:',
    ...columns([[...clusterHeader(clusters), checkTitle(clusters)], ...clusters.map(clusterRow)], {
      indent: '  ',
    }),
    ...clusters.flatMap((cluster) => pausedLines(cluster, now)),
    '',
    ...describeRelay(relay, now),
    '',
    ...describeQueues(queues, relay?.lanes !== undefined, now),
  ]
  const result =
    problems.length === 0
      ? ['Healthy: nothing to do.']
      : ['Problems:', ...problems.map((line) => `  ${line}`)]
  const colour = problems.length === 0 ? 'green' : 'red'
  const broken = (line: string): string => fitted(printable(line), terminal)
  return [...lines.map(broken), '', ...result.map((line) => terminal.style(colour, broken(line))), ''].join(
    '\n',
  )
}

/** Names the second number of a row where there is one. */
const clusterHeader = (clusters: readonly ClusterReport[]): string[] =>
  CLUSTER_HEADER.map((title) =>
    title === 'SERVICES' && clusters.some((each) => each.reachable && each.endpointSelectors !== undefined)
      ? 'SERVICES + SELECTORS'
      : title,
  )

const checkTitle = (clusters: readonly ClusterReport[]): string =>
  clusters.some((cluster) => cluster.reachable && cluster.check.kind === 'shadow')
    ? 'DIFFERENT'
    : 'OUT OF DATE'

function clusterRow(cluster: ClusterReport): string[] {
  if (!cluster.reachable) return [cluster.name, 'cannot be read', '-', '-', '-', '-', '-', '-']
  const { name, serverVersion, services, endpointSelectors, slices, endpoints, orphans, leftBehind, check } =
    cluster
  const sample = check.checked < check.total ? ` (of ${check.total}; --check plans all)` : ''
  const outdated = `${check.outdated.length} of ${check.checked}${sample}`
  const owners = endpointSelectors === undefined ? services : `${services} + ${endpointSelectors}`
  const counts = [owners, slices, endpoints, orphans.length, leftBehind.length]
  return [name, serverVersion, ...counts.map(String), outdated]
}

/** Named of the paused Services at most. */
const MAX_PAUSED = 10

function pausedLines(cluster: ClusterReport, now: number): string[] {
  if (!cluster.reachable || cluster.paused.length === 0) return []
  const { name, paused } = cluster
  const texts = paused.map(({ service, since }) =>
    since === undefined ? service : `${service} for ${ageText(since, now)}`,
  )
  return [
    `  ${name}: ${counted(paused.length, 'Service')} paused, whose slices stay as they are: ${listText(texts, MAX_PAUSED)}`,
  ]
}

function describeRelay(relay: RelayReport | undefined, now: number): string[] {
  if (relay === undefined)
    return [
      'Relay: not given; --relay URL shows the lag, the last sweep, the last audit and the cluster sets of `sliceflow run --metrics-port PORT`',
    ]
  const { url, error, ready, readiness, startedAt, clusters, clusterSets = [] } = relay
  if (error !== undefined) return [`Relay: ${url}: ${error}`]
  if (ready === undefined)
    return [`Relay: ${url}: a run without --metrics-port, which reports its queues only`]
  const since = startedAt === undefined ? '' : `, up for ${ageText(startedAt, now)}`
  const title = `Relay: ${url} is ${ready ? 'ready' : `not ready: ${readiness}`}${since}`
  if (clusters === undefined) return [title, '  it has no /status: its metrics alone show what it last did']
  const rows = columns([RELAY_HEADER, ...clusters.map((cluster) => relayRow(cluster, now))], { indent: '  ' })
  return [
    title,
    ...rows,
    ...clusters.flatMap((cluster) => relayDetails(cluster, now)),
    ...describeSets(relay),
    ...(clusterSets.length > 0 ? columns([SET_HEADER, ...clusterSets.map(setRow)], { indent: '  ' }) : []),
    ...clusterSets.flatMap((set) => failureLine(`cluster set ${set.name}`, set, now)),
  ]
}

/** Says which sets the run has, and which clusters are in them. */
const describeSets = ({ settings }: RelayReport): string[] =>
  parseClusterSets(settings?.clusterSets ?? NO_CLUSTER_SETS).map(
    ({ name, clusters, namespaces }) =>
      `  cluster set ${name}: ${clusters.map(memberText).join(', ')}; namespaces ${namespaces.join(', ')}`,
  )

function memberText({ name, tagKey = '', tagValue, id = name, role }: ClusterSetEntry): string {
  const which = name ?? `tag ${tagKey}${tagValue === undefined ? '' : `=${tagValue}`}`
  const notes = [...(id === name ? [] : [`as ${id}`]), ...(role === 'both' ? [] : [role])]
  return notes.length === 0 ? which : `${which} (${notes.join(', ')})`
}

function setRow(set: ClusterSetStatus): string[] {
  const { name, services, exports, imports, conflicts, blocked, lag } = set
  const counts = [services, exports, imports, conflicts, blocked].map(String)
  return [name, ...counts, failuresText(set), ...lagTexts(lag)]
}

const failuresText = ({ failures, failureClasses }: FailureStatus): string =>
  failureClasses === undefined ? String(failures) : `${failures} (${countsText(failureClasses)})`

const failureLine = (of: string, { lastFailure }: FailureStatus, now: number): string[] =>
  lastFailure === undefined
    ? []
    : [
        `  ${of}: last failure ${ageText(lastFailure.at, now)} ago, ${lastFailure.class}: ${lastFailure.message}`,
      ]

const lagTexts = (lag: ClusterStatus['lag']): string[] =>
  lag === undefined
    ? ['-', '-', '-']
    : [lag.p50, lag.p99, lag.maximum].map((seconds) => durationText(seconds * 1_000))

/** Lists what the row of a cluster has no room for. */
function relayDetails(cluster: ClusterStatus, now: number): string[] {
  const { name, shadow } = cluster
  const { same = 0, different = 0, invalid = 0 } = shadow ?? {}
  const compared =
    shadow &&
    `  ${name}: as a shadow ${counted(same + different + invalid, 'Service')} compared: ${same} the same, ${different} different, ${invalid} invalid`
  return [...failureLine(name, cluster, now), ...(compared === undefined ? [] : [compared])]
}

function relayRow(cluster: ClusterStatus, now: number): string[] {
  const { name, syncedAt, lastChangeAt, lastSyncAt, lastSweep, lastAudit, lag } = cluster
  const ago = (time: string | undefined): string =>
    time === undefined ? 'never' : `${ageText(time, now)} ago`
  const sent = (last: ClusterStatus['lastSweep']): string =>
    last === undefined ? 'never' : `${ago(last.at)} (${last.keys} ${last.keys === 1 ? 'key' : 'keys'})`
  const lags = lagTexts(lag)
  const sweeps = [sent(lastSweep), sent(lastAudit)]
  const times = [syncedAt, lastChangeAt, lastSyncAt].map(ago)
  return [name, ...times, ...sweeps, failuresText(cluster), ...lags]
}

/** @param isComplete true if a run has reported its lanes: there are no others */
function describeQueues(
  queues: readonly QueueReport[] | undefined,
  isComplete: boolean,
  now: number,
): string[] {
  if (queues === undefined)
    return [
      'Queues: not given; --relay URL of a run, --stack NAME of a deployment, or --queue, --sweep-queue and --dead-letter-queue URL show what waits in them',
    ]
  const isGiven = (queue: QueueReport['queue']): boolean => queues.some((report) => report.queue === queue)
  const named = [
    ...(isGiven('live') ? [] : ['  live: not given; see --queue URL']),
    ...(isGiven('sweep') ? [] : ['  sweep: not given; see --sweep-queue URL']),
    ...(isGiven('dead-letters') ? [] : ['  dead-letters: the lanes have none; see --dead-letter-queue URL']),
  ]
  return [
    'Queues:',
    ...columns([QUEUE_HEADER, ...queues.map((report) => queueRow(report, now))], { indent: '  ' }),
    ...(isComplete ? [] : named),
  ]
}

function queueRow(
  { queue, lane, error, waiting, inFlight, delayed, oldest, classes }: QueueReport,
  now: number,
): string[] {
  const name = lane === undefined ? queue : `${queue} of ${lane}`
  if (error !== undefined) return [name, 'cannot be read']
  const counts = [waiting, inFlight, delayed].map((count) => String(count ?? 0))
  return [name, ...counts, ageText(oldest, now), countsText(classes) || '-']
}
