import {
  CfnEIP,
  FlowLogDestination,
  FlowLogTrafficType,
  GatewayVpcEndpointAwsService,
  NatProvider,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { Construct } from 'constructs'
import type { DeploymentSettings } from '../../settings/index.ts'
import { createLogGroup } from '../log-group.ts'

interface VpcSpec {
  /** Default 0: subnets are public. */
  readonly natGateways?: number | undefined
  /** Addresses of the gateways; default: some that CloudFormation chooses. */
  readonly eipAllocationIds?: string[]
  readonly settings: DeploymentSettings
  readonly encryptionKey?: IKey | undefined
}

/** Creates a VPC in two zones where nothing comes in, with flow logs of what is rejected. */
export function createVpc(
  scope: Construct,
  { natGateways = 0, eipAllocationIds, settings, encryptionKey }: VpcSpec,
): Vpc {
  const subnetType = natGateways > 0 ? SubnetType.PRIVATE_WITH_EGRESS : SubnetType.PUBLIC
  const vpc = new Vpc(scope, 'Vpc', {
    maxAzs: 2,
    natGateways,
    ...(eipAllocationIds && { natGatewayProvider: NatProvider.gateway({ eipAllocationIds }) }),
    // Nothing is in it, and CDK would add a function that may change security groups, to empty it.
    restrictDefaultSecurityGroup: false,
    subnetConfiguration: [
      { name: 'public', subnetType: SubnetType.PUBLIC, cidrMask: 24, mapPublicIpOnLaunch: false },
      ...(subnetType === SubnetType.PUBLIC ? [] : [{ name: 'relay', subnetType, cidrMask: 24 }]),
    ],
  })
  vpc.addFlowLog('Rejected', {
    trafficType: FlowLogTrafficType.REJECT,
    destination: FlowLogDestination.toCloudWatchLogs(
      createLogGroup(scope, 'FlowLogs', settings, encryptionKey),
    ),
  })
  return vpc
}

/** A VPC that gives relay and functions fixed egress addresses, which endpoints of clusters can allow. */
export class FixedEgress extends Construct {
  readonly vpc: Vpc
  /** Ranges of one address each, separated by commas, as `publicAccessCidrs` of EKS takes them. */
  readonly cidrs: string

  constructor(scope: Construct, id: string, { natGateways = 1, ...spec }: VpcSpec) {
    super(scope, id)
    const addresses = Array.from(
      { length: natGateways },
      (_, index) => new CfnEIP(this, `Address${index}`, { domain: 'vpc' }),
    )
    const eipAllocationIds = addresses.map(({ attrAllocationId }) => attrAllocationId)
    this.vpc = createVpc(this, { natGateways, eipAllocationIds, ...spec })
    // They cost nothing, and layers of images and records of views and recordings need not pass the gateway.
    this.vpc.addGatewayEndpoint('S3', { service: GatewayVpcEndpointAwsService.S3 })
    this.vpc.addGatewayEndpoint('DynamoDb', { service: GatewayVpcEndpointAwsService.DYNAMODB })
    this.cidrs = addresses.map(({ attrPublicIp }) => `${attrPublicIp}/32`).join(',')
  }
}
