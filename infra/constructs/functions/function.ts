import { Duration, Stack } from 'aws-cdk-lib'
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import {
  Architecture,
  type CfnFunction,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { DEPLOYMENT_FILE, VARIABLES } from '../../../functions/environment/index.ts'
import type { ClusterConfig } from '../../../shared/clusters/index.ts'
import type { DeploymentSettings } from '../../settings/index.ts'
import { allowKey } from '../encryption.ts'
import { checkEnvironmentSize, type Lanes, placeVariables } from '../environment.ts'
import { accept } from '../findings.ts'
import { createLogGroup } from '../log-group.ts'
import type { FunctionNetwork } from '../network/network.ts'
import type { Recordings } from '../recordings.ts'
import type { FunctionOverrides } from './function-props.ts'
import { stageBundle } from './staged-bundle.ts'

interface SliceflowFunctionProps {
  readonly description: string
  /** Folder of the bundle. */
  readonly code: string
  /** Files that are to lie beside the bundle, by their names. */
  readonly files?: Readonly<Record<string, string>>
  /** Default `index.handler`. */
  readonly handler?: string
  readonly environment: Readonly<Record<string, string>>
  readonly surroundings: FunctionSurroundings
}

/** Props that all functions of a deployment have alike, but for the last: each has its own. */
interface FunctionSurroundings {
  /** Name of the deployment: a dimension of its metrics. */
  readonly deployment: string
  readonly settings: DeploymentSettings
  /** Only where clusters are reached from inside a VPC; it must have a way to SQS and the other services. */
  readonly network?: FunctionNetwork | undefined
  /** Key of its logs and its environment; default: keys of AWS’ own. */
  readonly encryptionKey?: IKey | undefined
  /** Over ours; what settings and other props say is refused. */
  readonly functionProps?: FunctionOverrides | undefined
}

/** Parts of a deployment that its functions are made of. */
export interface FunctionParts {
  readonly surroundings: FunctionSurroundings
  /** Folder of the bundle. */
  readonly code: string
  readonly lanes: Lanes
  readonly clusters: readonly ClusterConfig[]
  /** Default: nothing is recorded. */
  readonly recordings?: Recordings | undefined
}

/** Network interfaces of a function in a VPC: EC2 has no resource to name for these. */
const VPC_ACTIONS = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
]

/** A function on ARM64 and Node.js 24 with its own role, log group and time limit, and no permissions yet. */
export class SliceflowFunction extends Construct {
  readonly function: LambdaFunction
  readonly role: Role
  readonly logGroup: LogGroup

  constructor(scope: Construct, id: string, props: SliceflowFunctionProps) {
    super(scope, id)
    const { description, code } = props
    const { deployment, settings, network, encryptionKey, functionProps = {} } = props.surroundings
    const placed = placeVariables({ [VARIABLES.deployment]: deployment, ...props.environment })
    const environment = {
      NODE_OPTIONS: '--enable-source-maps',
      ...functionProps.environment,
      ...placed.environment,
    }
    checkEnvironmentSize(this, environment)
    this.logGroup = createLogGroup(this, 'Logs', settings, encryptionKey)
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description,
    })
    this.logGroup.grantWrite(this.role)
    if (network !== undefined) this.allowNetworkInterfaces()
    this.function = new LambdaFunction(this, 'Function', {
      description,
      role: this.role,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: props.handler ?? 'index.handler',
      code: Code.fromAsset(stageBundle(this, code, { ...props.files, ...placed.files })),
      timeout: Duration.seconds(settings.functionTimeout),
      memorySize: settings.functionMemory,
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Lambda's lines of calls that succeed would be nearly half of the log; metrics have what they say.
      systemLogLevelV2: SystemLogLevel.WARN,
      // By the runtime alone: traces of invocations without the X-Ray SDK, which is in maintenance.
      tracing: settings.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      ...network,
      ...functionProps,
      environment,
    })
    // What is in the file can be read from the stack's template, too: preflight asks it for the clusters.
    const file = placed.files[DEPLOYMENT_FILE]
    if (file !== undefined)
      (this.function.node.defaultChild as CfnFunction).addMetadata(DEPLOYMENT_FILE, JSON.parse(file))
    if (encryptionKey !== undefined) this.encryptEnvironment(encryptionKey)
    for (const construct of [this.role, this.role.node.findChild('DefaultPolicy')])
      accept(construct, {
        'AwsSolutions-IAM5[Resource::*]':
          'X-Ray’s PutTraceSegments, and EC2’s network interfaces in a VPC, have no resource-level permissions',
      })
  }

  /** Not by CDK's prop, which would let the role use the key by way of every service. */
  private encryptEnvironment(key: IKey): void {
    const resource = this.function.node.defaultChild as CfnFunction
    resource.kmsKeyArn = key.keyArn
    allowKey(this.role, key, { service: 'lambda', actions: ['kms:Decrypt'] })
  }

  private allowNetworkInterfaces(): void {
    const { region, account } = Stack.of(this)
    this.role.addToPolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: VPC_ACTIONS,
        resources: ['*'],
        conditions: { StringEquals: { 'aws:RequestedRegion': region, 'aws:PrincipalAccount': account } },
      }),
    )
  }
}
