import { CfnOutput, Stack, Stage, type StageProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
// 'sliceflow/infra' where the package is installed.
import { Sliceflow, type SliceflowProps } from '../../infra/constructs/index.ts'

export interface DeploymentStageProps extends StageProps {
  readonly sliceflow: SliceflowProps
}

/** One Sliceflow with its clusters. */
export class DeploymentStage extends Stage {
  /** Name of the alarm that rings when any critical one does. */
  readonly criticalAlarm: CfnOutput

  constructor(scope: Construct, id: string, { sliceflow: props, ...stage }: DeploymentStageProps) {
    super(scope, id, stage)
    const stack = new Stack(this, 'Sliceflow')
    const { alarms } = new Sliceflow(stack, 'Sliceflow', props)
    const [critical] = alarms.composites
    if (critical === undefined) throw new Error('a deployment has a composite alarm for each severity')
    this.criticalAlarm = new CfnOutput(stack, 'CriticalAlarm', { value: critical.alarmName })
  }
}
