import { ArnFormat, Names, Stack } from 'aws-cdk-lib'
import { Rule } from 'aws-cdk-lib/aws-events'
import { Effect, PolicyDocument, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import type { CfnLogGroup, LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { DeploymentSettings } from '../../settings/index.ts'
import { createLogGroup } from '../log-group.ts'
import type { RelayService } from './relay.ts'

interface RelayEndsProps {
  readonly relay: RelayService
  readonly settings: DeploymentSettings
  readonly encryptionKey?: IKey | undefined
}

/** CloudWatch Logs allows 512 characters. */
const MAX_NAME_LENGTH = 255

/**
 * Returns a rule that matches relays that have ended by themselves, could not start, or were ended as they
 * were not healthy. Its matches are in a log group, with the reasons.
 */
export function watchRelayEnds(scope: Construct, { relay, settings, encryptionKey }: RelayEndsProps): Rule {
  const stack = Stack.of(scope)
  // The group's policy names the group, which so needs a name that CloudFormation does not make first. It
  // begins with the stack's, as those do that CloudFormation makes: keys are allowed by it.
  const name = `${Names.uniqueResourceName(scope, { maxLength: MAX_NAME_LENGTH, separator: '-' })}-RelayEnds`
  const logGroup = createLogGroup(scope, 'RelayEndsLogs', { ...settings, name }, encryptionKey)
  letEventBridgeWrite(logGroup, name)
  // Not `logGroupArn`: EventBridge takes an ARN that ends in `:*`, and then delivers nothing.
  const targets = [{ bind: () => ({ arn: arnOf(stack, logGroup.logGroupName) }) }]
  return new Rule(scope, 'RelayEnds', {
    description: 'Sliceflow: a relay has ended, and nobody has replaced it',
    eventPattern: {
      source: ['aws.ecs'],
      detailType: ['ECS Task State Change'],
      detail: {
        clusterArn: [relay.cluster.clusterArn],
        // A cluster may run others' tasks as well.
        group: relay.services.map(({ serviceName }) => `service:${serviceName}`),
        lastStatus: ['STOPPED'],
        $or: [
          { stopCode: ['EssentialContainerExited', 'TaskFailedToStart'] },
          // Its code is that of every replacement.
          { stoppedReason: [{ prefix: 'Task failed container health checks' }] },
        ],
      },
    },
    targets,
  })
}

/**
 * Lets EventBridge write to a log group, by a policy of the group itself. An account has 10 policies of its
 * own in a region, for all services, by names that deployments would have to share, and the first one that
 * is deleted would end it for the others. Each log group has one more, which counts for nothing and goes
 * with the group.
 */
function letEventBridgeWrite(logGroup: LogGroup, name: string): void {
  const group = logGroup.node.defaultChild as CfnLogGroup
  group.resourcePolicyDocument = new PolicyDocument({
    statements: [
      new PolicyStatement({
        effect: Effect.ALLOW,
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [`${arnOf(Stack.of(logGroup), name)}:*`],
      }),
    ],
  })
}

const arnOf = (stack: Stack, resourceName: string): string =>
  stack.formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
