import { Duration } from 'aws-cdk-lib'
import { type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { CANARY_METRICS } from '../../../functions/canary/index.ts'
import type { DeploymentSettings } from '../../settings/index.ts'
import type { SliceflowFunction } from '../functions/function.ts'
import type { DeploymentMetrics } from '../metrics.ts'
import type { AlarmSpec } from './spec.ts'

interface WatchedFunction {
  /** First part of its alarms' names, such as `Reconcile`. */
  readonly id: string
  /** Name of the function in sentences, such as `reconcile`. */
  readonly name: string
  readonly function: SliceflowFunction
  /** Whether a schedule calls it, and no queue; default false. */
  readonly isScheduled?: boolean
}

type Errors = Pick<AlarmSpec, 'metric' | 'threshold' | 'periods' | 'bad'>

export function functionAlarms(
  watched: WatchedFunction,
  { functionTimeout }: DeploymentSettings,
): AlarmSpec[] {
  const { id, name } = watched
  const { function: lambda } = watched.function
  return [
    {
      id: `${id}Errors`,
      runbook: 'function-errors',
      severity: 'critical',
      meaning: `the ${name} function fails as a whole, not one key alone.`,
      ...errorsOf(watched),
    },
    {
      id: `${id}Throttles`,
      runbook: 'function-throttles',
      meaning: `calls of the ${name} function are throttled: the account’s concurrency is used up.`,
      metric: lambda.metricThrottles({ period: Duration.minutes(1), statistic: 'Sum' }),
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
 * Chooses the errors that count. Messages come all the time, and a call that failed by chance is made up for
 * by the next. A schedule calls seldom, and Lambda tries a failed call twice again within some three minutes:
 * three errors are one call that came to nothing.
 */
function errorsOf({ function: { function: lambda }, isScheduled }: WatchedFunction): Errors {
  const sumOf = (minutes: number): IMetric =>
    lambda.metricErrors({ period: Duration.minutes(minutes), statistic: 'Sum' })
  if (isScheduled === true) return { metric: sumOf(15), threshold: 3 }
  return { metric: sumOf(1), periods: 5, bad: 3 }
}

/**
 * Returns the alarms of the canary: late, failed, or silent, which is what a function that does not run is.
 */
export const canaryAlarms = (
  { latencyTarget }: DeploymentSettings,
  metrics: DeploymentMetrics,
): AlarmSpec[] => [
  {
    id: 'CanaryLate',
    runbook: 'canary',
    severity: 'critical',
    meaning: `changes of the canary’s Service take ${latencyTarget} s or longer, or report no delay.`,
    ...metrics.both(CANARY_METRICS.delay, { statistic: 'Maximum' }),
    threshold: latencyTarget,
    periods: 5,
    bad: 3,
    missing: TreatMissingData.BREACHING,
  },
  {
    id: 'CanaryFailed',
    runbook: 'canary',
    severity: 'critical',
    meaning: 'changes of the canary’s Service in a cluster cannot be made, or no slice shows them.',
    ...metrics.both(CANARY_METRICS.failures, { statistic: 'Sum' }),
    periods: 5,
    bad: 3,
  },
]
