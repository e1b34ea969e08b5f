import { Duration } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  ContextAttribute,
  Schedule,
  type ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
  TimeWindow,
} from 'aws-cdk-lib/aws-scheduler'
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets'
import type { SliceflowFunction } from './function.ts'

interface ScheduleOptions {
  readonly expression: ScheduleExpression
  /** Seconds from one call to the next. */
  readonly intervalSeconds: number
  readonly description: string
}

/**
 * Calls a function again and again, with the `time` that it was to be called at, which a retry does not
 * change. Returns the schedule's group: one of its own, so that the Scheduler's metrics are of it alone.
 */
export function callOnSchedule(
  callee: SliceflowFunction,
  { expression, intervalSeconds, description }: ScheduleOptions,
): ScheduleGroup {
  const scheduleGroup = new ScheduleGroup(callee, 'ScheduleGroup')
  const caller = new Role(callee, 'ScheduleRole', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
  })
  caller.addToPolicy(
    new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [callee.function.functionArn] }),
  )
  const target = new LambdaInvoke(callee.function, {
    // CDK would allow every version of the function.
    role: caller.withoutPolicyUpdates(),
    // The next one comes anyway: an old one is worth nothing.
    maxEventAge: Duration.seconds(intervalSeconds),
    retryAttempts: 2,
    input: ScheduleTargetInput.fromObject({ time: ContextAttribute.scheduledTime }),
  })
  new Schedule(callee, 'Schedule', {
    schedule: expression,
    timeWindow: TimeWindow.off(),
    scheduleGroup,
    target,
    description,
  })
  return scheduleGroup
}
