import { Duration } from 'aws-cdk-lib'
import { SLOT_SECONDS } from '../../../functions/audit/index.ts'
import type { DeploymentSettings } from '../../settings/index.ts'
import type { Lanes } from '../environment.ts'
import { quietGroupsMetric } from '../metrics.ts'
import type { KeyQueue } from '../queues/key-queue.ts'
import type { AlarmSpec } from './spec.ts'

/**
 * Maximum age of a live message in seconds at any traffic: the target plus the wait of Lambda at low traffic.
 */
const LOW_TRAFFIC_SECONDS = 20

export function laneAlarms({ live, sweep }: Lanes, settings: DeploymentSettings): AlarmSpec[] {
  const late = settings.latencyTarget + settings.batchWindow + LOW_TRAFFIC_SECONDS
  return [
    deadLettersAlarm('LiveDeadLetters', live, 'keys of the live lane'),
    deadLettersAlarm('SweepDeadLetters', sweep, 'keys of the sweep lane'),
    {
      id: 'LiveAge',
      runbook: 'queue-age',
      meaning: `a change waits in the live lane for more than ${late} s, perhaps behind a cluster with very many.`,
      ...ageOf(live, late),
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
      metric: sweep.queue.metricApproximateAgeOfOldestMessage({
        period: Duration.minutes(5),
        statistic: 'Maximum',
      }),
      // Messages of the audit are delayed by up to a slot.
      threshold: settings.sweepInterval + SLOT_SECONDS + settings.sweepBatchWindow + LOW_TRAFFIC_SECONDS,
      periods: 3,
    },
  ]
}

/**
 * Returns the alarms of the view publisher's queue. Its sweep sends every published key at once: a queue
 * may be busy for as long as until the next.
 */
export function viewPublisherQueueAlarms(
  queues: KeyQueue,
  { sweepInterval }: DeploymentSettings,
): AlarmSpec[] {
  return [
    deadLettersAlarm('ViewPublisherDeadLetters', queues, 'keys of the view publisher'),
    {
      id: 'ViewPublisherAge',
      runbook: 'queue-age',
      meaning: 'views are published later than one interval between sweeps.',
      ...ageOf(queues, sweepInterval + LOW_TRAFFIC_SECONDS),
    },
  ]
}

const ageOf = (
  { queue }: KeyQueue,
  threshold: number,
): Pick<AlarmSpec, 'metric' | 'threshold' | 'periods' | 'bad'> => ({
  metric: queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1), statistic: 'Maximum' }),
  threshold,
  periods: 10,
  bad: 8,
})

const deadLettersAlarm = (id: string, { deadLetters }: KeyQueue, keys: string): AlarmSpec => ({
  id,
  runbook: 'dead-letters',
  meaning: `${keys} could not be handled and were given up.`,
  metric: deadLetters.metricApproximateNumberOfMessagesVisible({
    period: Duration.minutes(1),
    statistic: 'Maximum',
  }),
})
