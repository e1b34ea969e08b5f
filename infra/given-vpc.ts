import { Annotations } from 'aws-cdk-lib'
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2'
import type { Construct } from 'constructs'
import type { VpcContext } from './network-context.ts'

/** Makes CDK's representation of a VPC from given attributes, without a lookup in AWS. */
export function vpcOf(scope: Construct, given: VpcContext): IVpc {
  const { vpcId, vpcCidr, subnetIds, routeTableIds, assignPublicIp = false } = given
  const vpc = Vpc.fromVpcAttributes(scope, 'Vpc', {
    vpcId,
    // Only that they differ counts: a subnet a zone is what the context asks for.
    availabilityZones: subnetIds.map((_, index) => `zone-${index}`),
    ...(vpcCidr !== undefined && { vpcCidrBlock: vpcCidr }),
    ...(assignPublicIp
      ? {
          publicSubnetIds: [...subnetIds],
          ...(routeTableIds && { publicSubnetRouteTableIds: [...routeTableIds] }),
        }
      : {
          privateSubnetIds: [...subnetIds],
          ...(routeTableIds && { privateSubnetRouteTableIds: [...routeTableIds] }),
        }),
  })
  // Where a route table is needed, the context asks for it.
  Annotations.of(vpc).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId')
  return vpc
}
