import { Duration } from 'aws-cdk-lib'
import {
  Alarm,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { Rule } from 'aws-cdk-lib/aws-events'
import type { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import type { DeploymentSettings } from '../settings/index.ts'
import type { Lanes } from './environment.ts'
import type { SliceflowFunction } from './function.ts'
import { FUNCTION_METRICS, ownMetric, quietGroupsMetric, RELAY_METRICS } from './metrics.ts'

export type Severity = 'critical' | 'warning'

export interface AlarmsProps {
  readonly lanes: Lanes
  readonly functions: { readonly reconcile: SliceflowFunction; readonly resync: SliceflowFunction }
  readonly scheduleGroup: ScheduleGroup
  readonly settings: DeploymentSettings
  /** Told by the composites: for whoever is on call. */
  readonly topic: ITopic
  /** Told by every alarm on its own, also while a relay is replaced: for a channel to read. */
  readonly detailTopic: ITopic
  /** Matches the beginning of a deployment of the relay. */
  readonly deployments: Rule
  /** Where the folder of runbooks is to be read, such as `https://…/blob/main/infra/runbooks`. */
  readonly runbooks: string
}

interface AlarmSpec {
  /** Its name in this stack, of which the runbook's is made: `RelayDown` → `relay-down.md`. */
  readonly id: string
  readonly runbook: string
  readonly severity: Severity
  /** What it means, in one sentence. */
  readonly meaning: string
  readonly metric: IMetric
  /** Rings at or above this. */
  readonly threshold: number
  /** Minutes, or other periods of the metric, that are looked at, and how many must be bad. */
  readonly periods: number
  readonly bad: number
  /** What no data means; default: nothing is wrong. */
  readonly missing?: TreatMissingData
}

/** All alarms, one composite a severity that tells the topic, and the suppressor that keeps them quiet while the relay is replaced. */
export class Alarms extends Construct {
  readonly alarms: readonly Alarm[]
  readonly composites: readonly CompositeAlarm[]

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id)
    const specs = alarmSpecs(props)
    const action = new SnsAction(props.topic)
    const detail = new SnsAction(props.detailTopic)
    this.alarms = specs.map((spec) => this.createAlarm(spec, props.runbooks))
    const suppressor = this.createSuppressor(props)
    for (const alarm of [...this.alarms, suppressor]) {
      alarm.addAlarmAction(detail)
      alarm.addOkAction(detail)
    }
    const ofSeverity = (severity: Severity): Alarm[] =>
      this.alarms.filter((_, index) => specs[index]?.severity === severity)
    this.composites = (['critical', 'warning'] as const).map((severity) => {
      const composite = new CompositeAlarm(this, severity === 'critical' ? 'Critical' : 'Warning', {
        alarmDescription: `Sliceflow: at least one ${severity} alarm rings. Runbooks: ${props.runbooks}/README.md`,
        alarmRule: AlarmRule.anyOf(
          ...ofSeverity(severity).map((alarm) => AlarmRule.fromAlarm(alarm, AlarmState.ALARM)),
        ),
        actionsSuppressor: suppressor,
        actionsSuppressorWaitPeriod: Duration.minutes(1),
        actionsSuppressorExtensionPeriod: Duration.minutes(2),
      })
      composite.addAlarmAction(action)
      composite.addOkAction(action)
      return composite
    })
  }

  private createAlarm(
    { id, runbook, meaning, metric, threshold, periods, bad, missing }: AlarmSpec,
    runbooks: string,
  ): Alarm {
    return new Alarm(this, id, {
      alarmDescription: `Sliceflow: ${meaning} What to do: ${runbooks}/${runbook}.md`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: bad,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    })
  }

  /** In alarm while ECS has begun to replace a relay within the last minutes. */
  private createSuppressor({ deployments, runbooks }: AlarmsProps): Alarm {
    return new Alarm(this, 'Deploying', {
      alarmDescription: `Sliceflow: a relay is being replaced; the composites are quiet meanwhile. See ${runbooks}/README.md`,
      metric: new Metric({
        namespace: 'AWS/Events',
        metricName: 'TriggeredRules',
        dimensionsMap: { RuleName: deployments.ruleName },
        statistic: 'Sum',
        period: Duration.minutes(1),
      }),
      threshold: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 5,
      datapointsToAlarm: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })
  }
}

function alarmSpecs(props: AlarmsProps): AlarmSpec[] {
  return [...queueAlarms(props), ...functionAlarms(props), ...relayAlarms(props), ...scheduleAlarms(props)]
}

/** Above this age a live message is late whatever the traffic: the target, and the wait that Lambda allows itself at low traffic. */
const LOW_TRAFFIC_SECONDS = 20

function queueAlarms({ lanes, settings }: AlarmsProps): AlarmSpec[] {
  const { live, sweep } = lanes
  const late = settings.latencyTarget + settings.batchWindow + LOW_TRAFFIC_SECONDS
  const deadLetters = [live, sweep].map(
    ({ lane, deadLetters: queue }): AlarmSpec => ({
      id: lane === 'live' ? 'LiveDeadLetters' : 'SweepDeadLetters',
      runbook: 'dead-letters',
      severity: 'warning',
      meaning: `keys of the ${lane} lane could not be handled and were given up.`,
      metric: queue.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
      threshold: 1,
      periods: 1,
      bad: 1,
    }),
  )
  return [
    ...deadLetters,
    {
      id: 'LiveAge',
      runbook: 'queue-age',
      severity: 'warning',
      meaning: `a change waits in the live lane for more than ${late} s, perhaps behind a cluster with very many.`,
      metric: live.queue.metricApproximateAgeOfOldestMessage({
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
      threshold: late,
      periods: 10,
      bad: 8,
    },
    {
      id: 'LiveAgeQuiet',
      runbook: 'queue-age',
      severity: 'critical',
      meaning: `changes of clusters that are not busy wait in the live lane for more than ${late} s.`,
      metric: quietGroupsMetric(live.queue, 'oldest message of quiet clusters'),
      threshold: late,
      periods: 5,
      bad: 4,
    },
    {
      id: 'SweepAge',
      runbook: 'queue-age',
      severity: 'warning',
      meaning: 'a resync takes longer than the time to the next one.',
      metric: sweep.queue.metricApproximateAgeOfOldestMessage({
        period: Duration.minutes(5),
        statistic: 'Maximum',
      }),
      threshold: settings.resyncInterval + settings.sweepBatchWindow + LOW_TRAFFIC_SECONDS,
      periods: 3,
      bad: 3,
    },
  ]
}

function functionAlarms({ functions, settings }: AlarmsProps): AlarmSpec[] {
  const { reconcile, resync } = functions
  const ofFunction = (name: 'Reconcile' | 'Resync', { function: lambda }: SliceflowFunction): AlarmSpec[] => [
    {
      id: `${name}Errors`,
      runbook: 'function-errors',
      severity: 'critical',
      meaning: `the ${name.toLowerCase()} function fails as a whole, not one key alone.`,
      metric: lambda.metricErrors({ period: Duration.minutes(1), statistic: 'Sum' }),
      threshold: 1,
      periods: 5,
      bad: 3,
    },
    {
      id: `${name}Throttles`,
      runbook: 'function-throttles',
      severity: 'warning',
      meaning: `calls of the ${name.toLowerCase()} function are refused: the account’s concurrency is used up.`,
      metric: lambda.metricThrottles({ period: Duration.minutes(1), statistic: 'Sum' }),
      threshold: 1,
      periods: 5,
      bad: 3,
    },
    {
      id: `${name}Duration`,
      runbook: 'function-duration',
      severity: 'warning',
      meaning: `calls of the ${name.toLowerCase()} function take more than 80 % of their time limit.`,
      metric: lambda.metricDuration({ period: Duration.minutes(5), statistic: 'p99' }),
      threshold: settings.functionTimeout * 800,
      periods: 3,
      bad: 2,
    },
  ]
  return [
    ...ofFunction('Reconcile', reconcile),
    ...ofFunction('Resync', resync),
    {
      id: 'FailedKeys',
      runbook: 'failed-keys',
      severity: 'warning',
      meaning: 'keys fail again and again; the dashboard tells of which cluster.',
      metric: ownMetric(FUNCTION_METRICS.failedKeys, { statistic: 'Sum', minutes: 5 }),
      threshold: 10,
      periods: 3,
      bad: 3,
    },
    {
      id: 'Latency',
      runbook: 'latency',
      severity: 'warning',
      meaning: `slices are written more than ${settings.latencyTarget} s after the event that they are for.`,
      metric: ownMetric(FUNCTION_METRICS.eventToApplied, { statistic: 'p99', minutes: 5 }),
      threshold: settings.latencyTarget,
      periods: 3,
      bad: 3,
    },
  ]
}

/** The relay takes a watch for dead by itself above 80 s without a byte. */
const SILENT_SECONDS = 180

function relayAlarms({ settings }: AlarmsProps): AlarmSpec[] {
  return [
    {
      id: 'RelayDown',
      runbook: 'relay-down',
      severity: 'critical',
      meaning: 'a relay does not run: changes are seen by the resync only.',
      // Every relay writes its metrics once a minute: fewer samples than relays mean that one is down.
      metric: new MathExpression({
        expression: `${settings.relayShards} - FILL(running, 0)`,
        usingMetrics: { running: ownMetric(RELAY_METRICS.up, { statistic: 'Sum', minutes: 1 }) },
        period: Duration.minutes(1),
        label: 'relays missing',
      }),
      threshold: 1,
      periods: 5,
      bad: 5,
      missing: TreatMissingData.BREACHING,
    },
    {
      id: 'WatchSilent',
      runbook: 'watch-silent',
      severity: 'warning',
      meaning: 'a watch has not brought a byte for minutes, not even a bookmark.',
      metric: ownMetric(RELAY_METRICS.lastByte, { statistic: 'Maximum' }),
      threshold: SILENT_SECONDS,
      periods: 3,
      bad: 3,
    },
    {
      id: 'ClusterUnreachable',
      runbook: 'cluster-unreachable',
      severity: 'critical',
      meaning: 'a cluster cannot be watched; its slices stay as they are.',
      metric: ownMetric(RELAY_METRICS.watchFailing, { statistic: 'Maximum' }),
      threshold: 1,
      periods: 5,
      bad: 5,
    },
    {
      id: 'KeysPending',
      runbook: 'keys-pending',
      severity: 'critical',
      meaning: 'the relay cannot send keys to the queues.',
      metric: ownMetric(RELAY_METRICS.oldestPending, { statistic: 'Maximum' }),
      threshold: 60 + settings.coalescingWindow,
      periods: 3,
      bad: 3,
    },
  ]
}

function scheduleAlarms({ scheduleGroup }: AlarmsProps): AlarmSpec[] {
  const options = { period: Duration.minutes(5), statistic: 'Sum' }
  return [
    {
      id: 'Schedule',
      runbook: 'schedule-failures',
      severity: 'warning',
      meaning: 'the schedule cannot call the resync function.',
      metric: new MathExpression({
        expression: 'FILL(errors, 0) + FILL(dropped, 0)',
        usingMetrics: {
          errors: scheduleGroup.metricTargetErrors(options),
          dropped: scheduleGroup.metricDropped(options),
        },
        period: Duration.minutes(5),
        label: 'failed calls',
      }),
      threshold: 1,
      periods: 2,
      bad: 2,
    },
  ]
}
