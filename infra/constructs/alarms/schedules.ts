import { Duration } from 'aws-cdk-lib'
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch'
import type { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import type { AlarmSpec } from './spec.ts'

export interface WatchedSchedule {
  /** The alarm's name. */
  readonly id: string
  readonly group: ScheduleGroup
  /** What it calls, such as `the resync function`. */
  readonly callee: string
}

/** Of a schedule that cannot call its function. */
export function scheduleAlarm({ id, group, callee }: WatchedSchedule): AlarmSpec {
  const options = { period: Duration.minutes(5), statistic: 'Sum' }
  return {
    id,
    runbook: 'schedule-failures',
    severity: 'warning',
    meaning: `the schedule cannot call ${callee}.`,
    metric: new MathExpression({
      expression: 'FILL(errors, 0) + FILL(dropped, 0)',
      usingMetrics: { errors: group.metricTargetErrors(options), dropped: group.metricDropped(options) },
      period: Duration.minutes(5),
      label: 'failed calls',
    }),
    threshold: 1,
    periods: 2,
    bad: 2,
  }
}
