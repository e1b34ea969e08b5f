import { Duration } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { DeploymentSettings } from '../settings/index.ts'
import { accept } from './findings.ts'

export interface GradualDeploymentProps {
  readonly alias: Alias
  readonly settings: DeploymentSettings
  /** Alarms that roll back, beside the errors of the new version. */
  readonly alarms: readonly Alarm[]
  readonly runbooks: string
}

/**
 * Has CodeDeploy move calls from one version of a function to the next, and back where an alarm rings
 * meanwhile.
 */
export class GradualDeployment extends Construct {
  readonly group: LambdaDeploymentGroup

  constructor(scope: Construct, id: string, { alias, settings, alarms, runbooks }: GradualDeploymentProps) {
    super(scope, id)
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      description: 'Sliceflow: moves calls to a new version of the reconcile function',
    })
    this.group = new LambdaDeploymentGroup(this, 'Group', {
      alias,
      deploymentConfig: LambdaDeploymentConfig.fromLambdaDeploymentConfigName(
        this,
        'Configuration',
        `CodeDeployDefault.Lambda${settings.gradualDeployment}`,
      ),
      alarms: [newVersionErrors(this, alias, runbooks), ...alarms],
      // CDK would attach a policy of AWS by which every alias of the account can be moved.
      role: role.withoutPolicyUpdates(),
    })
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
        resources: [alias.lambda.functionArn, alias.functionArn],
      }),
    )
    role.addToPolicy(new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }))
    this.group.node.addDependency(role)
    accept(role.node.findChild('DefaultPolicy'), {
      'AwsSolutions-IAM5[Resource::*]':
        'CloudWatch’s DescribeAlarms, asked for alarms by name, has no resource-level permissions',
    })
  }
}

/** Rings at the first call that fails as a whole in the version that calls move to. */
function newVersionErrors(scope: Construct, alias: Alias, runbooks: string): Alarm {
  return new Alarm(scope, 'NewVersionErrors', {
    alarmDescription: `Sliceflow: the new version of the reconcile function fails, and is rolled back. What to do: ${runbooks}/function-errors.md`,
    metric: alias.metricErrors({
      period: Duration.minutes(1),
      statistic: 'Sum',
      dimensionsMap: {
        FunctionName: alias.lambda.functionName,
        Resource: `${alias.lambda.functionName}:${alias.aliasName}`,
        ExecutedVersion: alias.version.version,
      },
    }),
    threshold: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  })
}
