import {
  GatewayVpcEndpoint,
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpoint,
  InterfaceVpcEndpointAwsService,
  type ISecurityGroup,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  type SubnetSelection,
} from 'aws-cdk-lib/aws-ec2'
import { Construct } from 'constructs'
import type { ClusterConfig } from '../../../shared/clusters/index.ts'
import { DeploymentError, type VpcEndpoints } from '../../settings/index.ts'

interface VpcEndpointsProps {
  readonly vpc: IVpc
  readonly vpcSubnets?: SubnetSelection | undefined
  readonly wanted: VpcEndpoints
  readonly clusters: readonly ClusterConfig[]
  readonly hasViews: boolean
}

const INTERFACES = {
  sqs: [InterfaceVpcEndpointAwsService.SQS],
  logs: [InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS],
  ecr: [InterfaceVpcEndpointAwsService.ECR, InterfaceVpcEndpointAwsService.ECR_DOCKER],
  eks: [InterfaceVpcEndpointAwsService.EKS],
  tagging: [InterfaceVpcEndpointAwsService.TAGGING],
  sts: [InterfaceVpcEndpointAwsService.STS],
  secretsmanager: [InterfaceVpcEndpointAwsService.SECRETS_MANAGER],
  events: [InterfaceVpcEndpointAwsService.EVENTBRIDGE],
  servicediscovery: [InterfaceVpcEndpointAwsService.CLOUD_MAP_SERVICE_DISCOVERY],
} as const
const GATEWAYS = {
  // Layers of the relay's image are in S3, and so are recordings.
  s3: [GatewayVpcEndpointAwsService.S3],
  dynamodb: [GatewayVpcEndpointAwsService.DYNAMODB],
} as const

/** Endpoints of AWS' services, for subnets without a way out. By private DNS the whole VPC uses them. */
export class PrivateEndpoints extends Construct {
  constructor(scope: Construct, id: string, props: VpcEndpointsProps) {
    super(scope, id)
    const { vpc, vpcSubnets: subnets } = props
    const names = props.wanted === 'all' ? neededBy(props) : props.wanted
    const securityGroups = [this.createSecurityGroup(vpc)]
    for (const [service, name] of chosen(INTERFACES, names))
      new InterfaceVpcEndpoint(this, name, {
        vpc,
        service,
        securityGroups,
        open: false,
        ...(subnets && { subnets }),
      })
    for (const [service, name] of chosen(GATEWAYS, names))
      new GatewayVpcEndpoint(this, name, { vpc, service, ...(subnets && { subnets: [subnets] }) })
  }

  private createSecurityGroup(vpc: IVpc): ISecurityGroup {
    const group = new SecurityGroup(this, 'SecurityGroup', {
      vpc,
      description: 'Sliceflow: endpoints of services of AWS, for the whole VPC',
      allowAllOutbound: false,
    })
    group.addIngressRule(Peer.ipv4(cidrOf(vpc)), Port.tcp(443), 'the VPC')
    return group
  }
}

/** Picks the services of the names that are wanted, each with an id of its own. */
const chosen = <T>(services: Readonly<Record<string, readonly T[]>>, names: readonly string[]) =>
  names.flatMap((name) =>
    (services[name] ?? []).map(
      (service, index) => [service, index === 0 ? name : `${name}-${index}`] as const,
    ),
  )

function neededBy({ clusters, hasViews }: VpcEndpointsProps): Exclude<VpcEndpoints, 'all'> {
  const isThere = (kind: ClusterConfig['kind']): boolean => clusters.some((cluster) => cluster.kind === kind)
  const assumes = clusters.some((cluster) => cluster.kind !== 'secret' && cluster.roleArn !== undefined)
  return [
    'sqs',
    'logs',
    'ecr',
    's3',
    ...(isThere('eks') || isThere('discover') ? (['eks'] as const) : []),
    ...(isThere('discover') ? (['tagging'] as const) : []),
    ...(assumes ? (['sts'] as const) : []),
    ...(isThere('secret') ? (['secretsmanager'] as const) : []),
    ...(hasViews ? (['dynamodb', 'events', 'servicediscovery'] as const) : []),
  ]
}

/** Returns the CIDR block of a VPC. One that was given by its id alone does not know it, and throws. */
function cidrOf(vpc: IVpc): string {
  try {
    return vpc.vpcCidrBlock
  } catch (cause) {
    throw new DeploymentError(
      'vpcEndpoints: everything in the vpc may use them, by its addresses; give vpcCidrBlock with the attributes of the vpc (vpcCidr in the context)',
      { cause },
    )
  }
}
