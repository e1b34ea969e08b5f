import { printable } from '../../../../shared/telemetry/index.ts'
import { ageText, columns } from '../../../explain/index.ts'
import type { ClusterStatus } from '../../../local/index.ts'
import type { ClusterReport, QueueReport, RelayReport, StatusReport } from './report.ts'

const CLUSTER_HEADER = ['NAME', 'API SERVER', 'SERVICES', 'SLICES', 'ENDPOINTS', 'ORPHANS']
const RELAY_HEADER = [
  'CLUSTER',
  'LISTED',
  'LAST CHANGE',
  'LAST LOOK',
  'LAST RESYNC',
  'LAST AUDIT',
  'FAILURES',
  'LAG P50',
  'P99',
  'MAXIMUM',
]
const QUEUE_HEADER = ['QUEUE', 'WAITING', 'IN FLIGHT', 'DELAYED', 'OLDEST', 'CLASSES']

/** The report for people. @param now in milliseconds, for ages */
export function describeStatus({ clusters, relay, queues, problems }: StatusReport, now: number): string {
  return [
    'Clusters:',
    ...columns([[...CLUSTER_HEADER, checkTitle(clusters)], ...clusters.map(clusterRow)], '  '),
    '',
    ...describeRelay(relay, now),
    '',
    ...describeQueues(queues, now),
    '',
    ...(problems.length === 0
      ? ['Healthy: nothing to do.']
      : ['Problems:', ...problems.map((line) => `  ${line}`)]),
    '',
  ]
    .map(printable)
    .join('\n')
}

const checkTitle = (clusters: readonly ClusterReport[]): string =>
  clusters.some((cluster) => cluster.reachable && cluster.check.kind === 'shadow')
    ? 'DIFFERENT'
    : 'OUT OF DATE'

function clusterRow(cluster: ClusterReport): string[] {
  if (!cluster.reachable) return [cluster.name, 'cannot be read', '-', '-', '-', '-', '-']
  const { name, serverVersion, services, slices, endpoints, orphans, check } = cluster
  const sample = check.checked < check.total ? ` (of ${check.total}; --check looks at all)` : ''
  const outdated = `${check.outdated.length} of ${check.checked}${sample}`
  return [name, serverVersion, ...[services, slices, endpoints, orphans.length].map(String), outdated]
}

function describeRelay(relay: RelayReport | undefined, now: number): string[] {
  if (relay === undefined)
    return [
      'Relay: not given; --relay URL tells lag, the last resync and audit, of `sliceflow run --metrics-port PORT`',
    ]
  const { url, error, ready, readiness, startedAt, clusters } = relay
  if (error !== undefined) return [`Relay: ${url}: ${error}`]
  const since = startedAt === undefined ? '' : `, up for ${ageText(startedAt, now)}`
  const title = `Relay: ${url} is ${ready ? 'ready' : `not ready: ${readiness}`}${since}`
  if (clusters === undefined) return [title, '  it has no /status: what it last did is in its metrics only']
  return [title, ...columns([RELAY_HEADER, ...clusters.map((cluster) => relayRow(cluster, now))], '  ')]
}

function relayRow(cluster: ClusterStatus, now: number): string[] {
  const { name, syncedAt, lastChangeAt, lastLookAt, lastResync, lastAudit, failures, lag } = cluster
  const ago = (time: string | undefined): string =>
    time === undefined ? 'never' : `${ageText(time, now)} ago`
  const sent = (last: ClusterStatus['lastResync']): string =>
    last === undefined ? 'never' : `${ago(last.at)} (${last.keys} ${last.keys === 1 ? 'key' : 'keys'})`
  const lags = lag === undefined ? ['-', '-', '-'] : [lag.p50, lag.p99, lag.maximum].map(secondsText)
  const sweeps = [sent(lastResync), sent(lastAudit)]
  return [name, ago(syncedAt), ago(lastChangeAt), ago(lastLookAt), ...sweeps, String(failures), ...lags]
}

const secondsText = (seconds: number): string =>
  seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`

function describeQueues(queues: readonly QueueReport[] | undefined, now: number): string[] {
  if (queues === undefined)
    return ['Queues: not given; --queue, --sweep-queue and --dead-letter-queue URL tell what waits in them']
  const isGiven = (queue: QueueReport['queue']): boolean => queues.some((report) => report.queue === queue)
  const missing = [
    ...(isGiven('live') ? [] : ['  live: not given, --queue URL']),
    ...(isGiven('sweep') ? [] : ['  sweep: not given, --sweep-queue URL']),
    ...(isGiven('dead-letters') ? [] : ['  dead-letters: the lanes have none; else --dead-letter-queue URL']),
  ]
  return [
    'Queues:',
    ...columns([QUEUE_HEADER, ...queues.map((report) => queueRow(report, now))], '  '),
    ...missing,
  ]
}

function queueRow(
  { queue, error, waiting, inFlight, delayed, oldest, classes }: QueueReport,
  now: number,
): string[] {
  if (error !== undefined) return [queue, 'cannot be read']
  const kinds = Object.entries(classes ?? {}).map(([name, count]) => `${name} ${count}`)
  const counts = [waiting, inFlight, delayed].map((count) => String(count ?? 0))
  return [queue, ...counts, ageText(oldest, now), kinds.join(', ') || '-']
}
