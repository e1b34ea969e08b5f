import { type Stack, Token } from 'aws-cdk-lib'
import type { EksClusterConfig } from '../../shared/clusters/index.ts'

export interface AccessEntryOptions {
  /** Stack of the deployment: its outputs have the ARNs of its roles. */
  readonly stack: Stack
  /** Each role by the output that has its ARN, and the Kubernetes group that it is to be in. */
  readonly users: readonly { readonly output: string; readonly group: string }[]
}

/**
 * Returns the commands that let a deployment into a cluster for which its stack cannot: CloudFormation knows
 * one account and one region. Commands for another account are to be run with credentials of that account.
 */
export function accessEntryCommands(
  { region, clusterName, roleArn }: EksClusterConfig,
  { stack, users }: AccessEntryOptions,
): string[] {
  const command = (principal: string, groups: Iterable<string>): string =>
    `aws eks create-access-entry --region ${region} --cluster-name ${clusterName} --principal-arn ${principal} --kubernetes-groups ${[...groups].join(' ')}`
  // One role is assumed by all of them.
  if (roleArn !== undefined) return [command(roleArn, new Set(users.map(({ group }) => group)))]
  const own = Token.isUnresolved(stack.region) ? 'REGION' : stack.region
  const arnOf = (output: string): string =>
    `"$(aws cloudformation describe-stacks --region ${own} --stack-name ${stack.stackName} --query "Stacks[0].Outputs[?OutputKey=='${output}'].OutputValue" --output text)"`
  return users.map(({ output, group }) => command(arnOf(output), [group]))
}
