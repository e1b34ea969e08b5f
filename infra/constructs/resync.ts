import { Duration } from 'aws-cdk-lib'
import type { IVpc } from 'aws-cdk-lib/aws-ec2'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Schedule, ScheduleExpression, ScheduleGroup, TimeWindow } from 'aws-cdk-lib/aws-scheduler'
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets'
import type { Construct } from 'constructs'
import type { ClusterConfig } from '../../functions/clusters/index.ts'
import type { DeploymentSettings } from '../settings/index.ts'
import { clustersEnvironment, type Lanes, queuesEnvironment, settingsEnvironment } from './environment.ts'
import { SliceflowFunction } from './function.ts'

export interface ResyncFunctionProps {
  readonly code: string
  readonly lanes: Lanes
  readonly clusters: readonly ClusterConfig[]
  readonly settings: DeploymentSettings
  readonly vpc?: IVpc
}

/** The function that sends every key of every cluster to the sweep lane, and the schedule that calls it. */
export class ResyncFunction extends SliceflowFunction {
  readonly scheduleGroup: ScheduleGroup

  constructor(scope: Construct, id: string, { code, lanes, clusters, settings, vpc }: ResyncFunctionProps) {
    super(scope, id, {
      description: 'Sliceflow: sends every key of every cluster to the sweep lane',
      code,
      settings,
      environment: {
        ...settingsEnvironment(settings),
        ...clustersEnvironment(clusters),
        ...queuesEnvironment(lanes),
      },
      ...(vpc && { vpc }),
    })
    lanes.sweep.queue.grant(this.role, 'sqs:SendMessage')
    // A group of its own, so that the Scheduler's metrics are of this schedule alone.
    this.scheduleGroup = new ScheduleGroup(this, 'ScheduleGroup')
    const caller = new Role(this, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
    })
    caller.addToPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.function.functionArn] }),
    )
    const target = new LambdaInvoke(this.function, {
      // CDK would allow every version of the function.
      role: caller.withoutPolicyUpdates(),
      // The next one comes anyway: an old one is worth nothing.
      maxEventAge: Duration.seconds(settings.resyncInterval),
      retryAttempts: 2,
    })
    new Schedule(this, 'Schedule', {
      schedule: ScheduleExpression.rate(Duration.seconds(settings.resyncInterval)),
      timeWindow: TimeWindow.off(),
      scheduleGroup: this.scheduleGroup,
      target,
      description: 'Sliceflow: looks at every Service again',
    })
  }
}
