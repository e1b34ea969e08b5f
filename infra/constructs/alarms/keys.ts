import { type GuardAlarm, guardAlarms } from '../../../shared/reconciler/index.ts'
import { NO_CLUSTER_SETS, recordedShare } from '../../../shared/settings/index.ts'
import type { DeploymentSettings } from '../../settings/index.ts'
import { type DeploymentMetrics, FUNCTION_METRICS } from '../metrics.ts'
import type { AlarmSpec } from './spec.ts'

/** Returns the alarms of what the reconcile function says of keys. */
export function keyAlarms(settings: DeploymentSettings, metrics: DeploymentMetrics): AlarmSpec[] {
  const { latencyTarget } = settings
  const sum = (name: string) => metrics.of(name, { statistic: 'Sum', minutes: 5 })
  return [
    {
      id: 'FailedKeys',
      runbook: 'failed-keys',
      meaning: 'keys keep failing; the dashboard shows of which cluster.',
      ...metrics.both(FUNCTION_METRICS.failedKeys, { statistic: 'Sum', minutes: 5 }),
      threshold: 10,
      periods: 3,
    },
    {
      id: 'Latency',
      runbook: 'latency',
      meaning: `slices are written more than ${latencyTarget} s after the event that they are for.`,
      metric: metrics.of(FUNCTION_METRICS.eventToApplied, { statistic: 'p99', minutes: 5 }),
      threshold: latencyTarget,
      periods: 3,
    },
    ...guardAlarms().map((alarm) => guardAlarm(alarm, metrics)),
    {
      id: 'AuditFindings',
      runbook: 'audit-findings',
      meaning: 'the audit corrected slices whose change the relay had missed.',
      metric: sum(FUNCTION_METRICS.auditFindings),
    },
    ...(recordedShare(settings) > 0 ? [lostRecordsAlarm(metrics)] : []),
    ...(settings.clusterSets === NO_CLUSTER_SETS ? [] : fleetAlarms(settings, metrics)),
  ]
}

const guardAlarm = (
  { metric, help: _, line: __, ...alarm }: GuardAlarm,
  metrics: DeploymentMetrics,
): AlarmSpec => ({
  ...alarm,
  metric: metrics.of(metric, { statistic: 'Sum', minutes: 5 }),
})

const lostRecordsAlarm = (metrics: DeploymentMetrics): AlarmSpec => ({
  id: 'LostRecords',
  runbook: 'lost-records',
  meaning: 'records of what was written could not be stored; the slices are right without them.',
  metric: metrics.of(FUNCTION_METRICS.lostRecords, { statistic: 'Sum', minutes: 5 }),
})

/**
 * Returns the minutes within which a key of a cluster set is synced even if nothing changes: `sweepInterval`,
 * and half of that for its time in the queue.
 */
const syncMinutes = ({ sweepInterval }: DeploymentSettings): number =>
  Math.max(15, Math.ceil((1.5 * sweepInterval) / 60))

const fleetAlarms = (settings: DeploymentSettings, metrics: DeploymentMetrics): AlarmSpec[] => [
  {
    id: 'FleetLatency',
    runbook: 'fleet-latency',
    meaning: `a change in one cluster of a set reaches the slices of the others after more than ${settings.latencyTarget} s.`,
    metric: metrics.of(FUNCTION_METRICS.fleetEventToApplied, { statistic: 'p99', minutes: 5 }),
    threshold: settings.latencyTarget,
    periods: 3,
  },
  {
    id: 'FleetConflicts',
    runbook: 'fleet-conflicts',
    meaning: 'exports of one Service have differed between clusters of a set for long; the oldest counts.',
    metric: metrics.of(FUNCTION_METRICS.fleetConflicts, {
      statistic: 'Sum',
      minutes: syncMinutes(settings),
    }),
    // The middle period is bad as a whole: a single sync during a rollout does not ring.
    periods: 3,
  },
  {
    id: 'FleetBlocked',
    runbook: 'fleet-blocked',
    meaning:
      'a Service of a cluster set cannot be imported: others have its names there, or a guard holds it.',
    metric: metrics.of(FUNCTION_METRICS.fleetBlocked, { statistic: 'Sum', minutes: 5 }),
  },
]
