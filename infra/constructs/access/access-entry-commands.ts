import { type Stack, Token } from 'aws-cdk-lib'
import type { DiscoveryConfig, EksClusterConfig } from '../../../shared/clusters/index.ts'
import { shellWord } from '../../../shared/kubernetes/index.ts'
import type { TagSearch } from './cluster-permissions.ts'

export interface AccessEntryOptions {
  /** Stack of the deployment: its outputs have the ARNs of its roles. */
  readonly stack: Stack
  /** Each role by the output that has its ARN, and the Kubernetes group that it is to be in. */
  readonly users: readonly { readonly output: string; readonly group: string }[]
}

/** A principal and the Kubernetes groups that an access entry puts it into. */
export interface AccessEntry {
  readonly principal: string
  readonly groups: readonly string[]
}

/**
 * Returns the commands that let a deployment into a cluster for which its stack cannot: CloudFormation knows
 * one account and one region. Commands for another account are to be run with credentials of that account.
 */
export const accessEntryCommands = (
  { region, clusterName, roleArn }: EksClusterConfig,
  options: AccessEntryOptions,
): string[] => entriesFor(roleArn, options).map((entry) => createEntry(region, clusterName, entry))

/** Returns the commands that let a deployment into every cluster that a tag finds by now. */
export const foundEntryCommands = (search: DiscoveryConfig, options: AccessEntryOptions): string[] =>
  entriesFor(search.roleArn, options).map((entry) => forEachFound(search, entry))

/** Returns a command for the shell that makes an access entry in every cluster with a tag. */
export function forEachFound({ region, tagKey, tagValue }: TagSearch, entry: AccessEntry): string {
  // Not in the shorthand of the command line, to which a comma in a value begins another one.
  const filters = [{ Key: tagKey, ...(tagValue !== undefined && { Values: [tagValue] }) }]
  const arns = `aws resourcegroupstaggingapi get-resources --region ${region} --resource-type-filters eks:cluster --tag-filters ${shellWord(JSON.stringify(filters))} --query 'ResourceTagMappingList[].ResourceARN' --output text`
  return `for arn in $(${arns}); do ${createEntry(region, '"$(basename $arn)"', entry)}; done`
}

const createEntry = (region: string, cluster: string, { principal, groups }: AccessEntry): string =>
  `aws eks create-access-entry --region ${region} --cluster-name ${cluster} --principal-arn ${principal} --kubernetes-groups ${groups.join(' ')}`

function entriesFor(roleArn: string | undefined, { stack, users }: AccessEntryOptions): AccessEntry[] {
  // One role is assumed by all of them.
  if (roleArn !== undefined)
    return [{ principal: roleArn, groups: [...new Set(users.map(({ group }) => group))] }]
  const own = Token.isUnresolved(stack.region) ? 'REGION' : stack.region
  const arnOf = (output: string): string =>
    `"$(aws cloudformation describe-stacks --region ${own} --stack-name ${stack.stackName} --query "Stacks[0].Outputs[?OutputKey=='${output}'].OutputValue" --output text)"`
  return users.map(({ output, group }) => ({ principal: arnOf(output), groups: [group] }))
}
