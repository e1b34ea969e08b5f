import { Duration } from 'aws-cdk-lib'
import { MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import type { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import { SLOT_SECONDS } from '../../../functions/audit/index.ts'
import type { SliceflowFunction } from '../functions/function.ts'
import type { AlarmSpec } from './spec.ts'

interface WatchedSchedule {
  readonly id: string
  readonly group: ScheduleGroup
  /** Function that it calls, such as `the audit function`. */
  readonly callee: string
}

/**
 * Returns the alarm of a schedule that cannot call its function: of calls that were given up after each
 * further try.
 */
export function scheduleAlarm({ id, group, callee }: WatchedSchedule): AlarmSpec {
  return {
    id,
    runbook: 'schedule-failures',
    meaning: `the schedule cannot call ${callee}.`,
    metric: group.metricDropped({ period: Duration.minutes(5), statistic: 'Sum' }),
  }
}

const SLOTS_AN_HOUR = 3600 / SLOT_SECONDS

/**
 * Returns the alarm of an audit that is not invoked: a disabled or deleted schedule causes no other error.
 */
export function auditMissedAlarm({ function: lambda }: SliceflowFunction): AlarmSpec {
  const period = Duration.hours(1)
  return {
    id: 'AuditMissed',
    runbook: 'schedule-failures',
    meaning: 'slots of the full audit were left out for two hours.',
    metric: new MathExpression({
      expression: `${SLOTS_AN_HOUR} - FILL(calls, 0)`,
      usingMetrics: { calls: lambda.metricInvocations({ period, statistic: 'Sum' }) },
      period,
      label: 'slots left out',
    }),
    threshold: 2,
    periods: 2,
    missing: TreatMissingData.BREACHING,
  }
}
