import { Duration } from 'aws-cdk-lib'
import { MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import type { Rule } from 'aws-cdk-lib/aws-events'
import { CANARY_METRICS } from '../../../functions/canary/index.ts'
import { guardAlarms } from '../../../shared/reconciler/index.ts'
import { NO_CLUSTER_SETS, recordedShare, windowSeconds } from '../../../shared/settings/index.ts'
import type { DeploymentSettings } from '../../settings/index.ts'
import type { Lanes } from '../environment.ts'
import type { AuditFunction } from '../functions/audit.ts'
import type { ReconcileFunction } from '../functions/reconcile.ts'
import { type DeploymentMetrics, FUNCTION_METRICS, RELAY_METRICS } from '../metrics.ts'
import type { ViewPublisher } from '../views/view-publisher.ts'
import type { AlarmSpec } from './spec.ts'

/** Parts of a deployment that alarms watch. */
export interface AlarmedParts {
  readonly lanes: Lanes
  readonly functions: {
    readonly reconcile: ReconcileFunction
    readonly audit: AuditFunction
    readonly viewPublisher?: ViewPublisher
    /** Whether there is a canary. */
    readonly hasCanary: boolean
  }
  readonly relay: {
    /** Whether they keep checkpoints. */
    readonly keepState: boolean
    /** Whether every one is a standby for another deployment's. */
    readonly standby: boolean
    /** Rule that matches relays that end. */
    readonly ends: Rule
  }
  readonly settings: DeploymentSettings
  readonly metrics: DeploymentMetrics
}

type Measured = Pick<AlarmedParts, 'settings' | 'metrics'>

/** With any batch window Lambda may hold messages for as long at low traffic, in seconds. */
export const LOW_TRAFFIC_SECONDS = 20

/** Returns the seconds above which a change is late: the target, and the windows that it may wait for. */
function lateSeconds({ latencyTarget, batchWindow, coalescingWindow }: DeploymentSettings): number {
  const held = batchWindow > 0 ? Math.max(batchWindow, LOW_TRAFFIC_SECONDS) : 0
  return latencyTarget + held + (coalescingWindow === 'auto' ? 0 : coalescingWindow)
}

/** Returns the alarms of what the reconcile function says of keys. */
export function keyAlarms({ settings, metrics }: Measured): AlarmSpec[] {
  const { sweepInterval, clusterSets } = settings
  const late = lateSeconds(settings)
  const isFleet = clusterSets !== NO_CLUSTER_SETS
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
      meaning: `slices are written more than ${late} s after the event that they are for.`,
      metric: metrics.of(FUNCTION_METRICS.eventToApplied, { statistic: 'p99', minutes: 5 }),
      threshold: late,
      periods: 3,
    },
    ...guardAlarms().map(({ metric, help: _, line: __, ...alarm }) => ({
      ...alarm,
      metric: metrics.of(metric, { statistic: 'Sum', minutes: 5 }),
    })),
    {
      id: 'AuditFindings',
      runbook: 'audit-findings',
      meaning: 'the audit corrected slices whose change the relay had missed.',
      metric: metrics.of(FUNCTION_METRICS.auditFindings, { statistic: 'Sum', minutes: 5 }),
    },
    {
      id: 'LostRecords',
      runbook: 'lost-records',
      meaning: 'records of what was written could not be stored; the slices are right without them.',
      metric: metrics.of(FUNCTION_METRICS.lostRecords, { statistic: 'Sum', minutes: 5 }),
      isNeeded: recordedShare(settings) > 0,
    },
    {
      id: 'FleetLatency',
      runbook: 'fleet-latency',
      meaning: `a change in one cluster of a set reaches the slices of the others after more than ${late} s.`,
      metric: metrics.of(FUNCTION_METRICS.fleetEventToApplied, { statistic: 'p99', minutes: 5 }),
      threshold: late,
      periods: 3,
      isNeeded: isFleet,
    },
    {
      id: 'FleetConflicts',
      runbook: 'fleet-conflicts',
      meaning: 'exports of one Service have differed between clusters of a set for long; the oldest counts.',
      metric: metrics.of(FUNCTION_METRICS.fleetConflicts, {
        statistic: 'Sum',
        // In it each key of a set is synced even if nothing changes, with a third for its time in the queue.
        minutes: Math.max(15, Math.ceil((1.5 * sweepInterval) / 60)),
      }),
      // The middle period is bad as a whole: a single sync during a rollout does not ring.
      periods: 3,
      isNeeded: isFleet,
    },
    {
      id: 'FleetBlocked',
      runbook: 'fleet-blocked',
      meaning:
        'a Service of a cluster set cannot be imported: others have its names there, or a guard holds it.',
      metric: metrics.of(FUNCTION_METRICS.fleetBlocked, { statistic: 'Sum', minutes: 5 }),
      isNeeded: isFleet,
    },
  ]
}

/** The relay takes a watch for dead by itself above 80 s without a byte. */
const SILENT_SECONDS = 180
/** Keys in 5 minutes that a standby normally sends: about to be written, or of unknown state. */
const STANDBY_KEYS = 50
/** Ends of relays within an hour at which they count as a loop, however long each lives. */
const RESTARTS = 3

export function relayAlarms({ settings, relay, metrics }: AlarmedParts): AlarmSpec[] {
  return [
    {
      id: 'RelayDown',
      runbook: 'relay-down',
      severity: 'critical',
      meaning: 'a relay does not run: changes are seen by the audit only.',
      ...missingRelays(RELAY_METRICS.up, { settings, metrics }),
    },
    {
      id: 'WatchSilent',
      runbook: 'watch-silent',
      meaning: 'a watch has not brought a byte for minutes, not even a bookmark.',
      ...metrics.both(RELAY_METRICS.lastByte, { statistic: 'Maximum' }),
      threshold: SILENT_SECONDS,
      periods: 3,
    },
    {
      id: 'ClusterUnreachable',
      runbook: 'cluster-unreachable',
      severity: 'critical',
      meaning: 'a cluster cannot be watched; its slices stay as they are.',
      ...metrics.both(RELAY_METRICS.watchFailing, { statistic: 'Maximum' }),
      periods: 5,
    },
    {
      id: 'KeysPending',
      runbook: 'keys-pending',
      severity: 'critical',
      meaning: 'the relay cannot send keys to the queues.',
      metric: metrics.of(RELAY_METRICS.oldestPending, { statistic: 'Maximum' }),
      threshold: 60 + windowSeconds(settings),
      periods: 3,
    },
    {
      id: 'KeysRejected',
      runbook: 'keys-rejected',
      meaning:
        'the queue rejects keys permanently; the relay has dropped them, and their slices stay as they are.',
      ...metrics.both(RELAY_METRICS.rejected, { statistic: 'Sum', minutes: 5 }, ['Lane']),
    },
    {
      id: 'CheckpointFailures',
      runbook: 'checkpoint-failures',
      meaning: 'the relay cannot keep its checkpoints: its next start sends every key.',
      // One is written once a minute: the next one makes up for one that failed by chance.
      metric: metrics.of(RELAY_METRICS.checkpointFailures, { statistic: 'Sum', minutes: 5 }),
      periods: 3,
      isNeeded: relay.keepState,
    },
    {
      id: 'StandbyDown',
      runbook: 'relay-down',
      meaning: 'a standby does not run: no change is seen while its relay is down.',
      ...missingRelays(RELAY_METRICS.standbyUp, { settings, metrics }),
      isNeeded: settings.relayStandby,
    },
    {
      id: 'StandbySends',
      runbook: 'standby-sends',
      meaning: 'a standby sends keys: its relay does not send them, or slices stay wrong though it does.',
      metric: metrics.of(RELAY_METRICS.standbyKeys, { statistic: 'Sum', minutes: 5 }),
      threshold: STANDBY_KEYS,
      periods: 3,
      isNeeded: settings.relayStandby,
    },
    {
      // Of a standby deployment. Critical: the other deployment's own alarms may be lost with its region.
      id: 'StandbySends',
      runbook: 'lost-region',
      severity: 'critical',
      meaning: 'this standby deployment sends keys: the other one does not send them, or slices stay wrong.',
      metric: metrics.of(RELAY_METRICS.keysOfStandby, { statistic: 'Sum', minutes: 5 }),
      threshold: STANDBY_KEYS,
      periods: 3,
      isNeeded: relay.standby,
    },
    {
      // One that lives for more than a minute writes its metrics in between, and is never down for long.
      id: 'RelayRestarts',
      runbook: 'relay-down',
      severity: 'critical',
      meaning: 'a relay ends again and again, or a new one cannot start; changes may be late.',
      metric: new Metric({
        namespace: 'AWS/Events',
        metricName: 'TriggeredRules',
        dimensionsMap: { RuleName: relay.ends.ruleName },
        period: Duration.hours(1),
        statistic: 'Sum',
      }),
      threshold: RESTARTS,
    },
  ]
}

/** Counts missing relays. Each writes its metrics once a minute: fewer samples mean that one is down. */
const missingRelays = (
  up: string,
  { settings: { relayShards }, metrics }: Measured,
): Pick<AlarmSpec, 'metric' | 'periods' | 'missing'> => ({
  metric: new MathExpression({
    expression: `${relayShards} - FILL(running, 0)`,
    usingMetrics: { running: metrics.of(up, { statistic: 'Sum' }) },
    period: Duration.minutes(1),
    label: 'relays missing',
  }),
  periods: 5,
  missing: TreatMissingData.BREACHING,
})

/** Returns the alarms of the canary: late, failed, or silent, as a function that does not run is. */
export function canaryAlarms({ functions, settings, metrics }: AlarmedParts): AlarmSpec[] {
  const late = lateSeconds(settings)
  const { metric: delay, byCluster } = metrics.both(CANARY_METRICS.delay, { statistic: 'Maximum' })
  return [
    {
      id: 'CanaryLate',
      runbook: 'canary',
      severity: 'critical',
      meaning: `changes of the canary’s Service take ${late} s or longer, or report no delay.`,
      metric: new MathExpression({
        // A minute in which a relay did not run is one before the deployment, or has an alarm of its own.
        expression: `IF(FILL(running, 0) < ${settings.relayShards}, 0, FILL(delay, ${late}))`,
        usingMetrics: { delay, running: metrics.of(RELAY_METRICS.up, { statistic: 'Sum' }) },
        period: Duration.minutes(1),
        label: 'seconds until a slice shows a change',
      }),
      byCluster,
      threshold: late,
      periods: 5,
      bad: 3,
      isNeeded: functions.hasCanary,
    },
    {
      id: 'CanaryFailed',
      runbook: 'canary',
      severity: 'critical',
      meaning: 'changes of the canary’s Service in a cluster cannot be made, or no slice shows them.',
      ...metrics.both(CANARY_METRICS.failures, { statistic: 'Sum' }),
      periods: 5,
      bad: 3,
      isNeeded: functions.hasCanary,
    },
  ]
}
