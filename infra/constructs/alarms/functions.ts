import { Duration } from 'aws-cdk-lib'
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import type { DeploymentSettings } from '../../settings/index.ts'
import type { SliceflowFunction } from '../functions/index.ts'
import type { AlarmSpec } from './spec.ts'

export interface WatchedFunction {
  /** First part of its alarms' names, such as `Reconcile`. */
  readonly id: string
  /** Name of the function in sentences, such as `reconcile`. */
  readonly name: string
  readonly function: SliceflowFunction
  /** Whether a schedule calls it, and no queue; default false. */
  readonly isScheduled?: boolean
}

type Errors = Pick<AlarmSpec, 'metric' | 'threshold' | 'periods' | 'bad'>

/** Returns the alarms of a function as a whole. */
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
      severity: 'warning',
      meaning: `calls of the ${name} function are throttled: the account’s concurrency is used up.`,
      metric: lambda.metricThrottles({ period: Duration.minutes(1), statistic: 'Sum' }),
      threshold: 1,
      periods: 5,
      bad: 3,
    },
    {
      id: `${id}Duration`,
      runbook: 'function-duration',
      severity: 'warning',
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
  if (isScheduled === true) return { metric: sumOf(15), threshold: 3, periods: 1, bad: 1 }
  return { metric: sumOf(1), threshold: 1, periods: 5, bad: 3 }
}
