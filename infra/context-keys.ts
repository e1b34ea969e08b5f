import { commaSeparated } from '../shared/values/index.ts'
import { DeploymentError } from './settings/index.ts'

/** The context of CDK as it is: text from the command line, any JSON from cdk.json. */
export type RawContext = Readonly<Record<string, unknown>>

/**
 * How the value of a key is read.
 * @param at the beginning of what is thrown
 * @throws DeploymentError for a value of another form
 */
type Read<T> = (value: unknown, at: string) => T

const text: Read<string> = (value, at) => {
  if (typeof value === 'string' && value !== '') return value
  throw new DeploymentError(`${at}: must be text`)
}

const flag: Read<boolean> = (value, at) => {
  if (['true', 'false'].includes(String(value))) return String(value) === 'true'
  throw new DeploymentError(`${at}: "${String(value)}" is neither true nor false`)
}

const formed =
  (pattern: RegExp, what: string): Read<string> =>
  (value, at) => {
    if (pattern.test(text(value, at))) return value as string
    throw new DeploymentError(`${at}: "${value}" is not ${what}`)
  }

/** Reads a list, separated by commas or of JSON. */
const listOf =
  (pattern: RegExp, what: string): Read<readonly string[]> =>
  (value, at) => {
    const parts: readonly unknown[] = typeof value === 'string' ? commaSeparated(value) : [value].flat()
    const wrong = parts.find((one) => typeof one !== 'string' || !pattern.test(one))
    if (parts.length > 0 && wrong === undefined) return parts as string[]
    throw new DeploymentError(`${at}: "${String(wrong ?? '')}" is not ${what}; separate several by commas`)
  }

const groups = listOf(/^sg-[0-9a-f]{8,17}$/, 'the id of a security group, such as sg-0123456789abcdef0')

/**
 * The keys of the context beside those of settings. One with a `flag` is a flag of the command, too, with
 * that description: `true: ` begins that of one without a value.
 */
export const KEYS = {
  stackName: { read: text },
  region: { read: text },
  account: { read: formed(/^\d{12}$/, 'an account of AWS, 12 digits') },
  natGateways: {
    read: (value, at) => Number(formed(/^[0-3]$/, 'a number from 0 to 3')(String(value), at)),
  },
  keepState: { read: flag },
  accessEntries: { read: flag },
  canary: { read: flag },
  runbooks: { read: text },
  viewsSpec: { read: text },
  viewsOperator: { read: text },
  viewsEventBus: { read: text },
  viewsCloudMapNamespace: { read: text },
  fixedEgress: {
    read: flag,
    flag: 'true: relay and functions come from an address that stays the same, for clusters with publicAccessCidrs (a NAT gateway)',
  },
  privateAccess: {
    read: listOf(
      /^(vpc|subnet|sg)-[0-9a-f]{8,17}$/,
      'the id of a VPC, a subnet or a security group, such as subnet-0123456789abcdef0',
    ),
    flag: 'for clusters with private endpoints: ids of a VPC, its private subnets and the clusters’ security groups, separated by commas',
  },
  vpcId: {
    read: formed(/^vpc-[0-9a-f]{8,17}$/, 'the id of a VPC, such as vpc-0123456789abcdef0'),
    flag: 'an existing VPC for the relay; Sliceflow looks nothing up in it',
  },
  subnetIds: {
    read: listOf(/^subnet-[0-9a-f]{8,17}$/, 'the id of a subnet, such as subnet-0123456789abcdef0'),
    flag: 'its subnets, one for each zone, separated by commas; with a route out, or see vpcEndpoints',
  },
  assignPublicIp: {
    read: flag,
    flag: 'true: the subnets are public, and the relay gets a public address',
  },
  securityGroupIds: {
    read: groups,
    flag: 'security groups of relay and functions (default: new groups without ingress)',
  },
  functionsInVpc: {
    read: flag,
    flag: 'true: run the functions in the VPC as well, for clusters with private endpoints',
  },
  clusterSecurityGroupIds: {
    read: groups,
    flag: 'security groups of EKS clusters, in which port 443 is opened for relay and functions',
  },
  vpcEndpoints: {
    read: listOf(/^[a-z0-9]+$/, 'a service of AWS'),
    flag: 'all: endpoints of every AWS service that is used, for subnets without a route out; or some of them by name',
  },
  vpcCidr: {
    read: formed(/^[0-9.]+\/[0-9]{1,2}$/, 'a range of IPv4 addresses, such as 10.0.0.0/16'),
    flag: 'address range of the VPC, which the vpcEndpoints let in',
  },
  routeTableIds: {
    read: listOf(/^rtb-[0-9a-f]{8,17}$/, 'the id of a route table, such as rtb-0123456789abcdef0'),
    flag: 'route tables of the subnets in their order, for the vpcEndpoints s3 and dynamodb',
  },
  encryptionKeyArn: {
    read: formed(
      /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/,
      'the ARN of a KMS key (not of an alias), such as arn:aws:kms:REGION:ACCOUNT:key/ID',
    ),
    flag: 'a KMS key for queues, topics, logs, environments, views, recordings and files of the relays',
  },
  permissionsBoundary: {
    read: formed(
      /^(arn:aws[a-z-]*:iam::(\d{12}|aws):policy\/)?[\w+=,.@/-]+$/,
      'the name or the ARN of a managed policy',
    ),
    flag: 'name or ARN of a policy: the permissions boundary of every role that is created',
  },
  tags: {
    read: listOf(/^[^=,]+=[^,]*$/, 'a tag, KEY=VALUE'),
    flag: 'KEY=VALUE, separated by commas: tags of every resource',
  },
  topicArn: {
    read: formed(
      /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]+$/,
      'the ARN of a standard SNS topic, such as arn:aws:sns:REGION:ACCOUNT:NAME',
    ),
    flag: 'an SNS topic for on-call that is there, of this region: notified by severity (default: a new one)',
  },
  fleet: {
    read: (value, at) => commaSeparated(text(value, at)),
    flag: 'one Service over all clusters for each that is exported (KEP-1645): "*", or the namespaces that mean the same everywhere, separated by commas; several sets: --set clusterSets',
  },
  relayImage: {
    read: formed(
      /^[a-z0-9][\w.:-]*(\/[a-z0-9][\w.-]*)+(:[\w.-]+)?(@sha256:[0-9a-f]{64})?$/,
      'an image with its registry, such as registry.example.org/sliceflow-relay@sha256:DIGEST',
    ),
    flag: 'a built image of the relay, of any registry, REGISTRY/NAME@sha256:DIGEST; deploy then needs no Docker',
  },
  cpuArchitecture: {
    read: formed(/^(ARM64|X86_64)$/, 'ARM64 or X86_64'),
    flag: 'ARM64 or X86_64: of the relay’s task and image (default: ARM64)',
  },
  standby: {
    read: flag,
    flag: 'true: a standby for a deployment of the same clusters and settings in another region',
  },
} as const satisfies Readonly<Record<string, { readonly read: Read<unknown>; readonly flag?: string }>>

/** The values of the keys, each undefined where it is not given. */
export type KeyValues = {
  readonly [Key in keyof typeof KEYS]?: ReturnType<(typeof KEYS)[Key]['read']>
}

/** @throws DeploymentError for a value of another form */
export const readKeys = (context: RawContext): KeyValues =>
  Object.fromEntries(
    Object.entries(KEYS).flatMap(([key, { read }]) =>
      context[key] === undefined ? [] : [[key, read(context[key], `context ${key}`)]],
    ),
  )
