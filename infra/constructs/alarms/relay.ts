import { Duration } from 'aws-cdk-lib'
import { type IMetric, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import type { Rule } from 'aws-cdk-lib/aws-events'
import { windowSeconds } from '../../../shared/settings/index.ts'
import type { DeploymentSettings } from '../../settings/index.ts'
import { type DeploymentMetrics, RELAY_METRICS } from '../metrics.ts'
import type { AlarmSpec } from './spec.ts'

/** The relay takes a watch for dead by itself above 80 s without a byte. */
const SILENT_SECONDS = 180

export interface RelayKind {
  /** Whether they keep checkpoints. */
  readonly keepState: boolean
  /** Whether every one is a standby for another deployment's. */
  readonly standby: boolean
}

export function relayAlarms(
  settings: DeploymentSettings,
  { keepState, standby }: RelayKind,
  metrics: DeploymentMetrics,
): AlarmSpec[] {
  return [
    {
      id: 'RelayDown',
      runbook: 'relay-down',
      severity: 'critical',
      meaning: 'a relay does not run: changes are seen by the audit only.',
      metric: missingRelays(metrics.of(RELAY_METRICS.up, { statistic: 'Sum' }), settings),
      periods: 5,
      missing: TreatMissingData.BREACHING,
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
    ...(keepState ? [checkpointAlarm(metrics)] : []),
    ...(settings.relayStandby ? standbyAlarms(settings, metrics) : []),
    ...(standby ? [takeoverAlarm(metrics)] : []),
  ]
}

/**
 * Returns the alarm of checkpoints. One is written once a minute: the next one makes up for one that failed
 * by chance.
 */
const checkpointAlarm = (metrics: DeploymentMetrics): AlarmSpec => ({
  id: 'CheckpointFailures',
  runbook: 'checkpoint-failures',
  meaning: 'the relay cannot keep its checkpoints: its next start sends every key.',
  metric: metrics.of(RELAY_METRICS.checkpointFailures, { statistic: 'Sum', minutes: 5 }),
  periods: 3,
})

/**
 * Counts relays that are missing. Every relay writes its metrics once a minute: fewer samples than relays
 * mean that one is down.
 */
const missingRelays = (running: IMetric, { relayShards }: DeploymentSettings): MathExpression =>
  new MathExpression({
    expression: `${relayShards} - FILL(running, 0)`,
    usingMetrics: { running },
    period: Duration.minutes(1),
    label: 'relays missing',
  })

/**
 * Number of keys in 5 minutes that a standby normally sends beside a working relay: their slices were about
 * to be written, or their state is unknown.
 */
const STANDBY_KEYS = 50

const standbyAlarms = (settings: DeploymentSettings, metrics: DeploymentMetrics): AlarmSpec[] => [
  {
    id: 'StandbyDown',
    runbook: 'relay-down',
    meaning: 'a standby does not run: no change is seen while its relay is down.',
    metric: missingRelays(metrics.of(RELAY_METRICS.standbyUp, { statistic: 'Sum' }), settings),
    periods: 5,
    missing: TreatMissingData.BREACHING,
  },
  {
    id: 'StandbySends',
    runbook: 'standby-sends',
    meaning: 'a standby sends keys: its relay does not send them, or slices stay wrong though it does.',
    metric: metrics.of(RELAY_METRICS.standbyKeys, { statistic: 'Sum', minutes: 5 }),
    threshold: STANDBY_KEYS,
    periods: 3,
  },
]

/**
 * Returns the alarm of a standby deployment that has work to do. It is critical: the other deployment's own
 * alarms may be lost with its region.
 */
const takeoverAlarm = (metrics: DeploymentMetrics): AlarmSpec => ({
  id: 'StandbySends',
  runbook: 'lost-region',
  severity: 'critical',
  meaning: 'this standby deployment sends keys: the other one does not send them, or slices stay wrong.',
  metric: metrics.of(RELAY_METRICS.keysOfStandby, { statistic: 'Sum', minutes: 5 }),
  threshold: STANDBY_KEYS,
  periods: 3,
})

/** Ends of relays within an hour at which they count as a loop, however long each lives. */
const RESTARTS = 3

/**
 * Returns the alarm of relays that end again and again. One that lives for more than a minute writes its
 * metrics in between, and is never down for long.
 */
export const restartsAlarm = ({ ruleName }: Rule): AlarmSpec => ({
  id: 'RelayRestarts',
  runbook: 'relay-down',
  severity: 'critical',
  meaning: 'a relay ends again and again, or a new one cannot start; changes may be late.',
  metric: new Metric({
    namespace: 'AWS/Events',
    metricName: 'TriggeredRules',
    dimensionsMap: { RuleName: ruleName },
    statistic: 'Sum',
    period: Duration.hours(1),
  }),
  threshold: RESTARTS,
})
