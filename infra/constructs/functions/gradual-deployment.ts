import { Duration } from 'aws-cdk-lib'
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { VERSION_DIMENSION } from '../../../functions/reconcile/metrics.ts'
import type { DeploymentSettings } from '../../settings/index.ts'
import { createAlarm } from '../alarms/alarms.ts'
import { type AlarmSpec, withDefaults } from '../alarms/spec.ts'
import { accept } from '../findings.ts'
import { type DeploymentMetrics, FUNCTION_METRICS } from '../metrics.ts'

interface GradualDeploymentProps {
  readonly alias: Alias
  readonly settings: DeploymentSettings
  readonly metrics: DeploymentMetrics
  readonly runbooks: string
}

/**
 * Has CodeDeploy move calls from one version of a function to the next, and back where an alarm rings
 * meanwhile. CodeDeploy starts nothing while such an alarm rings. So each is of the new version alone, which
 * has no metrics before: what is broken already, or breaks for both versions, neither holds up a fix nor
 * takes it back.
 */
export class GradualDeployment extends Construct {
  readonly group: LambdaDeploymentGroup

  constructor(scope: Construct, id: string, props: GradualDeploymentProps) {
    super(scope, id)
    const { alias, settings } = props
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
      alarms: [newVersionErrors(props), newVersionFailures(props)].map((spec) =>
        createAlarm(this, withDefaults(spec), props.runbooks),
      ),
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
const newVersionErrors = ({ alias }: GradualDeploymentProps): AlarmSpec => ({
  id: 'NewVersionErrors',
  runbook: 'function-errors',
  meaning: 'the new version of the reconcile function fails, and is rolled back.',
  metric: alias.metricErrors({
    period: Duration.minutes(1),
    statistic: 'Sum',
    dimensionsMap: {
      FunctionName: alias.lambda.functionName,
      Resource: `${alias.lambda.functionName}:${alias.aliasName}`,
      ExecutedVersion: alias.version.version,
    },
  }),
})

/** Minutes that are compared, as long as the shortest deployment: few failures of a quiet one add up. */
const COMPARED_MINUTES = 5
/**
 * Failures of the new version above half as many again as its share of the calls explains. Lambda draws the
 * version of each call, so failures that have nothing to do with it are random numbers: at any rate of them
 * fewer than one window in 3,000 is above.
 */
const UNEXPLAINED_FAILURES = 8

/**
 * Rings where keys fail in the new version that do not in the old one at the same time. A cluster that is
 * broken fails in both by their shares of the calls.
 */
function newVersionFailures({ alias, metrics }: GradualDeploymentProps): AlarmSpec {
  const sum = (name: string, dimensions = {}): IMetric =>
    metrics.of(name, { statistic: 'Sum', minutes: COMPARED_MINUTES, dimensions })
  const version = { [VERSION_DIMENSION]: alias.version.version }
  return {
    id: 'NewVersionFailures',
    runbook: 'failed-keys',
    meaning:
      'more keys fail in the new version of the reconcile function than in the old one, and it is rolled back.',
    metric: new MathExpression({
      expression: 'failed - 1.5 * parts * allFailed / allParts',
      usingMetrics: {
        failed: sum(FUNCTION_METRICS.failedParts, version),
        parts: sum(FUNCTION_METRICS.parts, version),
        allFailed: sum(FUNCTION_METRICS.failedParts),
        allParts: sum(FUNCTION_METRICS.parts),
      },
      period: Duration.minutes(COMPARED_MINUTES),
      label: 'failures that the old version has not',
    }),
    threshold: UNEXPLAINED_FAILURES,
  }
}
