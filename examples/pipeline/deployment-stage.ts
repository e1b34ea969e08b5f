import { CfnOutput, Fn, Stack, Stage, type StageProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
// 'sliceflow/infra' where the package is installed.
import { Sliceflow, type SliceflowProps } from '../../infra/constructs/index.ts'

export interface DeploymentStageProps extends StageProps {
  readonly sliceflow: SliceflowProps
}

/** Zones of the relay's VPC. */
const ZONES = 2

/** Leaves the names of zones to CloudFormation: CDK would look them up, and synth needs no credentials so. */
class DeploymentStack extends Stack {
  override get availabilityZones(): string[] {
    return Array.from({ length: ZONES }, (_, index) => Fn.select(index, Fn.getAzs()))
  }
}

/** One Sliceflow with its clusters. */
export class DeploymentStage extends Stage {
  /** Name of the alarm that rings when any critical one does. */
  readonly criticalAlarm: CfnOutput

  constructor(scope: Construct, id: string, { sliceflow: props, ...stage }: DeploymentStageProps) {
    super(scope, id, stage)
    const stack = new DeploymentStack(this, 'Sliceflow')
    const { alarms } = new Sliceflow(stack, 'Sliceflow', props)
    const [critical] = alarms.composites
    if (critical === undefined) throw new Error('a deployment has a composite alarm for each severity')
    this.criticalAlarm = new CfnOutput(stack, 'CriticalAlarm', { value: critical.alarmName })
  }
}
