import { DeploymentError } from './errors.ts'

/** Services of AWS that a VPC without a way out needs endpoints of; `ecr` are both of the registry's. */
const VPC_ENDPOINTS = [
  'sqs',
  'logs',
  'ecr',
  's3',
  'eks',
  'tagging',
  'sts',
  'secretsmanager',
  'dynamodb',
  'events',
  'servicediscovery',
] as const

/** Names of VPC endpoints, or all that a deployment needs. */
export type VpcEndpoints = 'all' | readonly (typeof VPC_ENDPOINTS)[number][]

/** Parts of the network that can be checked without CDK; a VPC's own kind of value is no matter here. */
export interface NetworkInput {
  readonly vpc?: unknown
  readonly vpcSubnets?: unknown
  readonly natGateways?: number
  readonly fixedEgress?: boolean
  readonly functionsInVpc?: boolean
  readonly securityGroups?: readonly unknown[]
  readonly clusterSecurityGroups?: readonly unknown[]
  readonly vpcEndpoints?: VpcEndpoints
}

/** Props of an existing VPC, and why each has no effect without one. */
const OF_A_VPC = {
  vpcSubnets: 'needs the vpc that they belong to',
  securityGroups: 'needs the vpc that they belong to',
  clusterSecurityGroups: 'works only from the vpc of the clusters, or from one that is connected to it',
  vpcEndpoints: 'are for a vpc whose subnets have no route out; the vpc that is created has one',
} as const

/** @throws DeploymentError for what cannot go together */
export function checkNetwork(input: NetworkInput): void {
  const { vpc, natGateways, fixedEgress, functionsInVpc, vpcEndpoints } = input
  if (fixedEgress === true) checkEgress(input)
  if (vpc !== undefined && natGateways !== undefined)
    throw new DeploymentError(
      'natGateways: applies to the VPC that is created; the given vpc has its own or none',
    )
  if (vpcEndpoints !== undefined && vpcEndpoints !== 'all') checkEndpoints(vpcEndpoints)
  if (vpc !== undefined) return
  if (functionsInVpc === true && fixedEgress !== true)
    throw new DeploymentError(
      'functionsInVpc: needs a vpc with a route to the clusters and to AWS’ services; give one',
    )
  for (const [name, why] of Object.entries(OF_A_VPC))
    if (input[name as keyof typeof OF_A_VPC] !== undefined)
      throw new DeploymentError(`${name}: ${why}; give the vpc as well (vpcId in the context)`)
}

function checkEgress({ vpc, natGateways }: NetworkInput): void {
  if (vpc !== undefined)
    throw new DeploymentError(
      'fixedEgress: is for the VPC that is created; a given vpc has routes of its own: leave out one of them',
    )
  if (natGateways === 0)
    throw new DeploymentError('fixedEgress: needs a NAT gateway at least; leave natGateways out')
}

function checkEndpoints(names: readonly string[]): void {
  const known: readonly string[] = VPC_ENDPOINTS
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new DeploymentError(
      `vpcEndpoints: ${unknown.join(', ')} is not needed or not known; give all, or some of ${known.join(', ')}`,
    )
}
