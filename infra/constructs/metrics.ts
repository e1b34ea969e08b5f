import { Duration } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { AUDIT_METRICS } from '../../functions/audit/metrics.ts'
import { FUNCTION_METRICS } from '../../functions/reconcile/metrics.ts'
import { RELAY_UP, STANDBY_PREFIX } from '../../functions/relay/from-environment.ts'
import { EMF_NAMESPACE } from '../../shared/telemetry/index.ts'

/**
 * Names that the relay's registry gets in CloudWatch (see shared/telemetry); a test compares them with what
 * it writes.
 */
export const RELAY_METRICS = {
  up: RELAY_UP,
  watchFailing: 'RelayWatchFailing',
  lastByte: 'RelayWatchLastByteSeconds',
  pending: 'RelayKeysPending',
  oldestPending: 'RelayOldestPendingKeySeconds',
  sent: 'RelayKeysSent',
  relists: 'RelayRelists',
  rejected: 'RelayKeysRejected',
  checkpointFailures: 'RelayCheckpointFailures',
  standbyUp: STANDBY_PREFIX + RELAY_UP,
  standbyKeys: `${STANDBY_PREFIX}RelayStandbyKeys`,
} as const

export type Statistic = 'Sum' | 'Maximum' | 'Minimum' | 'Average' | 'p50' | 'p99'

export interface MetricOptions {
  readonly statistic: Statistic
  readonly minutes?: number
  readonly dimensions?: Readonly<Record<string, string>>
  readonly label?: string
}

/** Returns a metric that the functions or the relay write. */
export function ownMetric(
  name: string,
  { statistic, minutes = 1, dimensions, label }: MetricOptions,
): Metric {
  return new Metric({
    namespace: EMF_NAMESPACE,
    metricName: name,
    statistic,
    period: Duration.minutes(minutes),
    ...(dimensions && { dimensionsMap: { ...dimensions } }),
    ...(label !== undefined && { label }),
  })
}

/**
 * Returns a metric of SQS for which CDK has no helper: those of fair queues, without the groups that are
 * noisy.
 */
export function quietGroupsMetric(queue: IQueue, label: string): Metric {
  return new Metric({
    namespace: 'AWS/SQS',
    metricName: 'ApproximateAgeOfOldestMessageInQuietGroups',
    dimensionsMap: { QueueName: queue.queueName },
    statistic: 'Maximum',
    period: Duration.minutes(1),
    label,
  })
}

export { AUDIT_METRICS, FUNCTION_METRICS }
