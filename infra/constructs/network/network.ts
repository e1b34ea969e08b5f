import { hash } from 'node:crypto'
import { Stack } from 'aws-cdk-lib'
import {
  CfnSecurityGroupIngress,
  type ISecurityGroup,
  type IVpc,
  SecurityGroup,
  type SubnetSelection,
} from 'aws-cdk-lib/aws-ec2'
import type { Construct } from 'constructs'
import type { SliceflowProps } from '../sliceflow-props.ts'

/** Network of functions that reach clusters from inside a VPC. */
export interface FunctionNetwork {
  readonly vpc: IVpc
  readonly vpcSubnets?: SubnetSelection | undefined
  readonly securityGroups: ISecurityGroup[]
}

/** Makes one security group for all functions, where none is given; undefined where they are in no VPC. */
export function functionNetwork(
  scope: Construct,
  { vpc, vpcSubnets, securityGroups, functionsInVpc }: SliceflowProps,
): FunctionNetwork | undefined {
  if (functionsInVpc !== true || vpc === undefined) return undefined
  const made = (): ISecurityGroup[] => [
    new SecurityGroup(scope, 'FunctionsSecurityGroup', {
      vpc,
      description: 'Sliceflow functions: nothing comes in',
      allowAllOutbound: true,
    }),
  ]
  return { vpc, vpcSubnets, securityGroups: securityGroups ? [...securityGroups] : made() }
}

const HTTPS = 443

/**
 * Returns an id that changes with the values: for what CloudFormation cannot replace, as it makes the new one
 * while the old one is there, and AWS refuses a second one.
 */
export function idOf(scope: Construct, name: string, ...values: readonly unknown[]): string {
  const text = JSON.stringify(Stack.of(scope).resolve(values))
  return `${name}-${hash('sha256', text).slice(0, 8)}`
}

/**
 * Lets Sliceflow reach the private endpoints of EKS clusters, which their security groups guard. The rules
 * are in our stack, as groups of another one would otherwise wait for ours, and ours for them.
 */
export function reachClusters(
  scope: Construct,
  clusters: readonly ISecurityGroup[],
  from: ReadonlySet<ISecurityGroup>,
): void {
  for (const { securityGroupId: groupId } of clusters)
    for (const { securityGroupId: sourceSecurityGroupId } of from)
      new CfnSecurityGroupIngress(scope, idOf(scope, 'ClusterIngress', groupId, sourceSecurityGroupId), {
        groupId,
        sourceSecurityGroupId,
        ipProtocol: 'tcp',
        fromPort: HTTPS,
        toPort: HTTPS,
        description: 'Sliceflow: the Kubernetes API',
      })
}
