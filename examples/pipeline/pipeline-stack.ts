import { Annotations, Stack, type StackProps } from 'aws-cdk-lib'
import { LinuxArmBuildImage } from 'aws-cdk-lib/aws-codebuild'
import { PipelineType } from 'aws-cdk-lib/aws-codepipeline'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import {
  CodeBuildStep,
  CodePipeline,
  CodePipelineSource,
  ManualApprovalStep,
  ShellStep,
} from 'aws-cdk-lib/pipelines'
import type { Construct } from 'constructs'
import type { Bundles } from '../../infra/constructs/index.ts'
import { DeploymentStage } from './deployment-stage.ts'
import { ACCOUNTS, CLUSTERS, REGIONS, THEIR_CLUSTERS } from './fleet.ts'
import { TheirAccessStage } from './their-access-stage.ts'

export interface PipelineStackProps extends StackProps {
  /** Of the repository that this app is in. */
  readonly source: { readonly repository: string; readonly branch: string; readonly connectionArn: string }
  /** What runs; default: what the package brings. */
  readonly bundles?: Bundles
}

const OTHERS = 'Production'

/**
 * A commit goes to staging, then to the first cluster of production, where it stays for a while with a canary
 * and its alarm, and then, once somebody agrees, to all the others, those of another account included.
 */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, { source, bundles, ...props }: PipelineStackProps) {
    super(scope, id, props)
    const { repository, branch, connectionArn } = source
    const pipeline = new CodePipeline(this, 'Pipeline', {
      pipelineType: PipelineType.V2,
      synth: new ShellStep('Synth', {
        input: CodePipelineSource.connection(repository, branch, { connectionArn }),
        commands: ['npm ci', 'npx cdk synth'],
      }),
      // Artifacts and assets are read in the other account, too.
      crossAccountKeys: true,
      // The relay's image is of ARM64, and so is the machine that builds it.
      assetPublishingCodeBuildDefaults: {
        buildEnvironment: { buildImage: LinuxArmBuildImage.AMAZON_LINUX_2023_STANDARD_3_0 },
      },
    })
    const common = { canary: true, ...(bundles && { bundles }) }
    const stage = (name: string, region: string, clusters: keyof typeof CLUSTERS): DeploymentStage =>
      new DeploymentStage(this, name, {
        env: { account: ACCOUNTS.ours, region },
        sliceflow: { ...common, clusters: CLUSTERS[clusters] },
      })

    const staging = stage('Staging', REGIONS.staging, 'staging')
    pipeline.addStage(staging, { post: [quietFor(15, staging, REGIONS.staging)] })

    const first = stage('First', REGIONS.production, 'first')
    pipeline.addStage(first, { post: [quietFor(60, first, REGIONS.production)] })

    pipeline.addStage(
      new TheirAccessStage(this, 'TheirAccess', {
        env: { account: ACCOUNTS.theirs, region: REGIONS.production },
        trusted: OTHERS,
      }),
      { pre: [new ManualApprovalStep('ToAllClusters', { comment: 'The first cluster was quiet.' })] },
    )
    const others = stage(OTHERS, REGIONS.production, 'others')
    for (const name of THEIR_CLUSTERS)
      Annotations.of(others).acknowledgeWarning(`sliceflow:access-entry:${name}`, 'TheirAccess has made it')
    pipeline.addStage(others, { post: [quietFor(15, others, REGIONS.production)] })
  }
}

/** Fails when the stage's alarm is not quiet, and the pipeline stops there. */
function quietFor(
  minutes: number,
  { stageName, criticalAlarm }: DeploymentStage,
  region: string,
): CodeBuildStep {
  return new CodeBuildStep(`${stageName}Quiet`, {
    envFromCfnOutputs: { ALARM: criticalAlarm },
    commands: [quietScript(minutes, region)],
    rolePolicyStatements: [new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] })],
  })
}

/** One command: CodeBuild reads each on its own. */
const quietScript = (minutes: number, region: string): string =>
  [
    // An alarm takes some minutes to know what it watches.
    'sleep 300',
    `for minute in $(seq ${minutes}); do`,
    `  state=$(aws cloudwatch describe-alarms --region ${region} --alarm-types CompositeAlarm --alarm-names "$ALARM" --query "CompositeAlarms[0].StateValue" --output text)`,
    '  test "$state" = OK || { echo "$ALARM is $state"; exit 1; }',
    '  sleep 60',
    'done',
  ].join('\n')
