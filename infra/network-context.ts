import { withValues } from '../shared/values/index.ts'
import { type Form, flag, formed, list, type RawContext } from './context-values.ts'
import { DeploymentError, type VpcEndpoints } from './settings/index.ts'

/** A VPC by its given attributes, as synth makes no lookup in AWS. */
export interface VpcContext {
  readonly vpcId: string
  readonly vpcCidr?: string
  /** One a zone. */
  readonly subnetIds: readonly string[]
  /** One for each subnet, in their order. */
  readonly routeTableIds?: readonly string[]
  /** Whether the subnets are public, so that the relay gets an address there. */
  readonly assignPublicIp?: boolean
}

/** The network of a deployment: security groups by their ids. */
export interface NetworkContext {
  readonly vpc?: VpcContext
  readonly fixedEgress?: boolean
  readonly functionsInVpc?: boolean
  readonly securityGroups?: readonly string[]
  readonly clusterSecurityGroups?: readonly string[]
  readonly vpcEndpoints?: VpcEndpoints
}

/** The keys of the context, each a flag of the command too, and what they are. */
export const NETWORK_KEYS = {
  fixedEgress:
    'true: relay and functions come from an address that stays the same, for clusters with publicAccessCidrs (a NAT gateway)',
  privateAccess:
    'for clusters with private endpoints: ids of a VPC, its private subnets and the clusters’ security groups, separated by commas',
  vpcId: 'an existing VPC for the relay; Sliceflow looks nothing up in it',
  subnetIds: 'its subnets, one for each zone, separated by commas; with a route out, or see vpcEndpoints',
  assignPublicIp: 'true: the subnets are public, and the relay gets a public address',
  securityGroupIds: 'security groups of relay and functions (default: new groups without ingress)',
  functionsInVpc: 'true: run the functions in the VPC as well, for clusters with private endpoints',
  clusterSecurityGroupIds:
    'security groups of EKS clusters, in which port 443 is opened for relay and functions',
  vpcEndpoints:
    'all: endpoints of every AWS service that is used, for subnets without a route out; or some of them by name',
  vpcCidr: 'address range of the VPC, which the vpcEndpoints let in',
  routeTableIds: 'route tables of the subnets in their order, for the vpcEndpoints s3 and dynamodb',
} as const

const VPC: Form = { pattern: /^vpc-[0-9a-f]{8,17}$/, what: 'the id of a VPC, such as vpc-0123456789abcdef0' }
const SUBNET: Form = {
  pattern: /^subnet-[0-9a-f]{8,17}$/,
  what: 'the id of a subnet, such as subnet-0123456789abcdef0',
}
const GROUP: Form = {
  pattern: /^sg-[0-9a-f]{8,17}$/,
  what: 'the id of a security group, such as sg-0123456789abcdef0',
}
const ROUTE_TABLE: Form = {
  pattern: /^rtb-[0-9a-f]{8,17}$/,
  what: 'the id of a route table, such as rtb-0123456789abcdef0',
}
const CIDR: Form = {
  pattern: /^[0-9.]+\/[0-9]{1,2}$/,
  what: 'a range of IPv4 addresses, such as 10.0.0.0/16',
}
const NAME: Form = { pattern: /^[a-z0-9]+$/, what: 'a service of AWS' }

/**
 * Reads what the context says of the network.
 * @throws DeploymentError for a value of another form, and for a VPC without what must be known of it
 */
export function readNetwork(given: RawContext): NetworkContext {
  const context = withPrivateAccess(given)
  const endpoints = list(context, 'vpcEndpoints', NAME)
  return withValues<NetworkContext>({
    vpc: readVpc(context),
    fixedEgress: flag(context, 'fixedEgress'),
    functionsInVpc: flag(context, 'functionsInVpc'),
    securityGroups: list(context, 'securityGroupIds', GROUP),
    clusterSecurityGroups: list(context, 'clusterSecurityGroupIds', GROUP),
    vpcEndpoints: endpoints?.join() === 'all' ? 'all' : (endpoints as VpcEndpoints | undefined),
  })
}

const ID: Form = {
  pattern: /^(vpc|subnet|sg)-[0-9a-f]{8,17}$/,
  what: 'the id of a VPC, a subnet or a security group, such as subnet-0123456789abcdef0',
}

/** Writes out what `privateAccess` is short for, whose ids say what they are of. */
function withPrivateAccess(context: RawContext): RawContext {
  const ids = list(context, 'privateAccess', ID)
  if (ids === undefined) return context
  const of = (kind: string): string[] => ids.filter((id) => id.startsWith(`${kind}-`))
  const [vpcId, ...others] = of('vpc')
  if (vpcId === undefined || others.length > 0 || of('subnet').length === 0)
    throw new DeploymentError(
      'context privateAccess: needs one VPC and its private subnets, such as vpc-0123456789abcdef0,subnet-0123456789abcdef0,sg-0123456789abcdef0',
    )
  const groups = of('sg')
  const meant = {
    vpcId,
    subnetIds: of('subnet').join(),
    functionsInVpc: true,
    ...(groups.length > 0 && { clusterSecurityGroupIds: groups.join() }),
  }
  const twice = [...Object.keys(meant), 'assignPublicIp'].find((key) => context[key] !== undefined)
  if (twice === undefined) return { ...context, ...meant }
  throw new DeploymentError(`context ${twice}: privateAccess says it already; leave out one of them`)
}

function readVpc(context: RawContext): VpcContext | undefined {
  const vpcId = formed(context, 'vpcId', VPC)
  const subnetIds = list(context, 'subnetIds', SUBNET)
  const routeTableIds = list(context, 'routeTableIds', ROUTE_TABLE)
  const vpc = withValues<Omit<VpcContext, 'vpcId' | 'subnetIds'>>({
    vpcCidr: formed(context, 'vpcCidr', CIDR),
    routeTableIds,
    assignPublicIp: flag(context, 'assignPublicIp'),
  })
  if (vpcId === undefined) {
    const [alone] = Object.keys({ ...vpc, ...(subnetIds && { subnetIds }) })
    if (alone === undefined) return undefined
    throw new DeploymentError(`context ${alone}: needs the VPC that it belongs to; give vpcId as well`)
  }
  if (subnetIds === undefined)
    throw new DeploymentError(
      'context vpcId: Sliceflow looks nothing up in AWS; give subnetIds as well, one for each zone, separated by commas',
    )
  if (routeTableIds !== undefined && routeTableIds.length !== subnetIds.length)
    throw new DeploymentError(
      `context routeTableIds: ${routeTableIds.length} for ${subnetIds.length} subnetIds; give one for each, in their order`,
    )
  checkEndpointsOf(context, vpc)
  if (vpc.assignPublicIp === true && flag(context, 'functionsInVpc'))
    throw new DeploymentError(
      'context functionsInVpc: functions get no address in public subnets, and reach nothing from there; give subnetIds of private subnets, and leave assignPublicIp out',
    )
  return { vpcId, subnetIds, ...vpc }
}

/** Asks for what endpoints need to know of the VPC. */
function checkEndpointsOf(context: RawContext, vpc: Pick<VpcContext, 'vpcCidr' | 'routeTableIds'>): void {
  const endpoints = list(context, 'vpcEndpoints', NAME)
  if (endpoints === undefined) return
  if (vpc.vpcCidr === undefined)
    throw new DeploymentError(
      'context vpcEndpoints: everything in the VPC may use them, by its address range; give vpcCidr as well',
    )
  if (vpc.routeTableIds === undefined && ['all', 's3', 'dynamodb'].some((name) => endpoints.includes(name)))
    throw new DeploymentError(
      'context vpcEndpoints: those of s3 and dynamodb need route tables; give routeTableIds as well, one for each of subnetIds',
    )
}
