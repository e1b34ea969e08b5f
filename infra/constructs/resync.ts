import type { IVpc } from 'aws-cdk-lib/aws-ec2'
import type { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import type { Construct } from 'constructs'
import type { ClusterConfig } from '../../functions/clusters/index.ts'
import type { DeploymentSettings } from '../settings/index.ts'
import { clustersEnvironment, type Lanes, queuesEnvironment, settingsEnvironment } from './environment.ts'
import { SliceflowFunction } from './function.ts'
import { callOnSchedule } from './schedule.ts'

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
    this.scheduleGroup = callOnSchedule(this, {
      intervalSeconds: settings.resyncInterval,
      description: 'Sliceflow: looks at every Service again',
    })
  }
}
