import { Duration } from 'aws-cdk-lib'
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch'
import type { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import { SLOT_SECONDS } from '../../../functions/audit/index.ts'
import type { DeploymentSettings } from '../../settings/index.ts'
import type { SliceflowFunction } from '../functions/function.ts'
import { quietGroupsMetric, RELAY_METRICS } from '../metrics.ts'
import type { KeyQueue } from '../queues/key-queue.ts'
import type { ViewPublisher } from '../views/view-publisher.ts'
import { type AlarmedParts, canaryAlarms, keyAlarms, LOW_TRAFFIC_SECONDS, relayAlarms } from './reported.ts'
import type { AlarmSpec } from './spec.ts'

/** Returns all alarms of a deployment, in the order of its dashboard. */
export function alarmSpecs(parts: AlarmedParts): AlarmSpec[] {
  const { functions, settings } = parts
  const { reconcile, audit, viewPublisher } = functions
  const specs: AlarmSpec[] = [
    ...laneAlarms(parts),
    ...functionAlarms('Reconcile', 'reconcile', reconcile, settings),
    ...scheduledAlarms('Audit', 'audit', audit, settings),
    ...keyAlarms(parts),
    ...relayAlarms(parts),
    ...auditAlarms(parts),
    ...(viewPublisher === undefined ? [] : viewPublisherAlarms(viewPublisher, settings)),
    ...canaryAlarms(parts),
  ]
  return specs.filter(({ isNeeded = true }) => isNeeded)
}

const maximum = (minutes: number) => ({ period: Duration.minutes(minutes), statistic: 'Maximum' })
const sum = (minutes: number) => ({ period: Duration.minutes(minutes), statistic: 'Sum' })

const deadLettersAlarm = (id: string, { deadLetters }: KeyQueue, keys: string): AlarmSpec => ({
  id,
  runbook: 'dead-letters',
  meaning: `${keys} could not be handled and were given up.`,
  metric: deadLetters.metricApproximateNumberOfMessagesVisible(maximum(1)),
})

function laneAlarms({ lanes: { live, sweep }, settings }: AlarmedParts): AlarmSpec[] {
  const late = settings.latencyTarget + settings.batchWindow + LOW_TRAFFIC_SECONDS
  return [
    deadLettersAlarm('LiveDeadLetters', live, 'keys of the live lane'),
    deadLettersAlarm('SweepDeadLetters', sweep, 'keys of the sweep lane'),
    {
      id: 'LiveAge',
      runbook: 'queue-age',
      meaning: `a change waits in the live lane for more than ${late} s, perhaps behind a cluster with very many.`,
      metric: live.queue.metricApproximateAgeOfOldestMessage(maximum(1)),
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
      meaning: 'keys of a sweep or of the audit have waited in the sweep lane until the next sweep.',
      metric: sweep.queue.metricApproximateAgeOfOldestMessage(maximum(5)),
      // Messages of the audit are delayed by up to a slot.
      threshold: settings.sweepInterval + SLOT_SECONDS + settings.sweepBatchWindow + LOW_TRAFFIC_SECONDS,
      periods: 3,
    },
  ]
}

/** @param name of the function in sentences, such as `reconcile` */
function functionAlarms(
  id: string,
  name: string,
  { function: lambda }: SliceflowFunction,
  { functionTimeout }: DeploymentSettings,
): AlarmSpec[] {
  return [
    {
      id: `${id}Errors`,
      runbook: 'function-errors',
      severity: 'critical',
      meaning: `the ${name} function fails as a whole, not one key alone.`,
      // Messages come all the time, and a call that failed by chance is made up for by the next.
      metric: lambda.metricErrors(sum(1)),
      periods: 5,
      bad: 3,
    },
    {
      id: `${id}Throttles`,
      runbook: 'function-throttles',
      meaning: `calls of the ${name} function are throttled: the account’s concurrency is used up.`,
      metric: lambda.metricThrottles(sum(1)),
      periods: 5,
      bad: 3,
    },
    {
      id: `${id}Duration`,
      runbook: 'function-duration',
      meaning: `calls of the ${name} function take more than 80 % of their time limit.`,
      metric: lambda.metricDuration({ period: Duration.minutes(5), statistic: 'p99' }),
      threshold: functionTimeout * 800,
      periods: 3,
      bad: 2,
    },
  ]
}

/**
 * Returns the same for a function that a schedule calls, and no queue. It calls seldom, and Lambda tries a
 * failed call twice again within some three minutes: three errors are one call that came to nothing.
 */
function scheduledAlarms(...watched: Parameters<typeof functionAlarms>): AlarmSpec[] {
  const [, , { function: lambda }] = watched
  const errors = { metric: lambda.metricErrors(sum(15)), threshold: 3, periods: 1, bad: 1 }
  return functionAlarms(...watched).map((alarm, index) => (index === 0 ? { ...alarm, ...errors } : alarm))
}

const SLOTS_AN_HOUR = 3600 / SLOT_SECONDS

/** A schedule that cannot call its function: calls that were given up after each further try. */
const scheduleAlarm = (id: string, callee: string, group: ScheduleGroup): AlarmSpec => ({
  id,
  runbook: 'schedule-failures',
  meaning: `the schedule cannot call ${callee}.`,
  metric: group.metricDropped(sum(5)),
})

const auditAlarms = ({ functions: { audit }, settings, metrics }: AlarmedParts): AlarmSpec[] => [
  scheduleAlarm('Schedule', 'the audit function', audit.scheduleGroup),
  {
    // A disabled or deleted schedule causes no other error.
    id: 'AuditMissed',
    runbook: 'schedule-failures',
    meaning: 'slots of the full audit were left out for two hours.',
    metric: new MathExpression({
      // An hour in which relays did not run is one before the deployment, or has an alarm of its own.
      expression: `IF(FILL(running, 0) < ${50 * settings.relayShards}, 0, ${SLOTS_AN_HOUR} - FILL(calls, 0))`,
      usingMetrics: {
        calls: audit.function.metricInvocations(sum(60)),
        running: metrics.of(RELAY_METRICS.up, { statistic: 'Sum', minutes: 60 }),
      },
      period: Duration.hours(1),
      label: 'slots left out',
    }),
    threshold: 2,
    periods: 2,
  },
]

const viewPublisherAlarms = (
  { queues, handler, sweep, scheduleGroup }: ViewPublisher,
  settings: DeploymentSettings,
): AlarmSpec[] => [
  deadLettersAlarm('ViewPublisherDeadLetters', queues, 'keys of the view publisher'),
  {
    id: 'ViewPublisherAge',
    runbook: 'queue-age',
    meaning: 'views are published later than one interval between sweeps.',
    metric: queues.queue.metricApproximateAgeOfOldestMessage(maximum(1)),
    // Its sweep sends every published key at once: a queue may be busy for as long as until the next.
    threshold: settings.sweepInterval + settings.batchWindow + LOW_TRAFFIC_SECONDS,
    periods: 10,
    bad: 8,
  },
  ...functionAlarms('ViewPublisher', 'view publisher', handler, settings),
  ...scheduledAlarms('ViewPublisherSweep', 'view publisher sweep', sweep, settings),
  scheduleAlarm('ViewPublisherSchedule', 'the view publisher’s sweep', scheduleGroup),
]
