import {
  type ClusterConfig,
  ClusterConfigError,
  checkClusters,
  parseClusters,
} from '../shared/clusters/index.ts'
import { nearest } from '../shared/schema/index.ts'
import { KEYS, type KeyValues, type RawContext, readKeys } from './context-keys.ts'
import {
  DeploymentError,
  type DeploymentSettingsInput,
  describeDeploymentSettings,
  type FleetInput,
  type VpcEndpoints,
} from './settings/index.ts'

/** Values that props of `Sliceflow` have by the same name, and where the stack is. */
type PlainKey =
  | ('region' | 'account' | 'natGateways' | 'fixedEgress' | 'functionsInVpc' | 'keepState' | 'accessEntries')
  | ('canary' | 'standby' | 'runbooks' | 'permissionsBoundary' | 'relayImage' | 'cpuArchitecture')

/** Context of the app (`-c key=value`, cdk.json): the description of a deployment. */
export interface Context extends Pick<KeyValues, PlainKey> {
  readonly clusters: readonly ClusterConfig[]
  readonly settings: DeploymentSettingsInput
  /** Name of the stack; default `Sliceflow`. */
  readonly stackName: string
  readonly vpc?: VpcContext
  /** Ids. */
  readonly securityGroups?: readonly string[]
  readonly clusterSecurityGroups?: readonly string[]
  readonly vpcEndpoints?: VpcEndpoints
  readonly encryptionKey?: string
  /** ARN of a topic for on-call. */
  readonly topic?: string
  readonly tags?: Readonly<Record<string, string>>
  readonly fleet?: FleetInput
  /** Views to publish; absent where none are. */
  readonly views?: ViewsContext
}

/** A VPC by its given attributes, as synth makes no lookup in AWS. */
export interface VpcContext extends Pick<KeyValues, 'vpcCidr' | 'routeTableIds' | 'assignPublicIp'> {
  readonly vpcId: string
  readonly subnetIds: readonly string[]
}

export interface ViewsContext {
  readonly spec: string
  readonly operator?: string | undefined
  /** Name or ARN. */
  readonly eventBus?: string | undefined
  /** Id. */
  readonly cloudMapNamespace?: string | undefined
}

/** CDK's own keys: feature flags, cached lookups, and those that its command sets. */
const OF_CDK = /^(aws:|aws-cdk:|@aws-cdk|cdk|availability-zones:|vpc-provider:|hosted-zone:|ami:|ssm:|tree)/

/**
 * Checks the context and reads it.
 * @throws DeploymentError for a key that is not known, or a value that cannot be used
 */
export function readContext(context: RawContext): Context {
  const settingNames = describeDeploymentSettings().map(({ name }) => name as string)
  const known = [...settingNames, 'clusters', ...Object.keys(KEYS)]
  const unknown = Object.keys(context).filter((key) => !known.includes(key) && !OF_CDK.test(key))
  if (unknown.length > 0)
    throw new DeploymentError(
      `context ${unknown.join(', ')}: is not known${unknown.map((key) => suggestion(key, known)).join('')}; infra/README.md lists every key`,
    )
  const values = withPrivateAccess(readKeys(context))
  return {
    ...values,
    clusters: readClusters(context.clusters),
    settings: Object.fromEntries(settingNames.map((name) => [name, context[name]])),
    stackName: values.stackName ?? 'Sliceflow',
    vpc: readVpc(values),
    securityGroups: values.securityGroupIds,
    clusterSecurityGroups: values.clusterSecurityGroupIds,
    vpcEndpoints: values.vpcEndpoints?.join() === 'all' ? 'all' : (values.vpcEndpoints as VpcEndpoints),
    encryptionKey: values.encryptionKeyArn,
    topic: values.topicArn,
    tags: values.tags && Object.fromEntries(readTags(values.tags)),
    fleet: values.fleet && { namespaces: values.fleet },
    views: readViews(values),
  }
}

function readClusters(value: unknown): ClusterConfig[] {
  if (value === undefined)
    throw new DeploymentError(
      'clusters: none is given; name one with --cluster, or in the context: -c clusters=\'[{"name":"eu-1","kind":"eks","clusterName":"eu-1","region":"eu-west-1"}]\'',
    )
  try {
    return typeof value === 'string' ? parseClusters(value) : checkClusters(value)
  } catch (cause) {
    if (cause instanceof ClusterConfigError) throw new DeploymentError(cause.message, { cause })
    throw cause
  }
}

/** Writes out what `privateAccess` is short for, whose ids say what they are of. */
function withPrivateAccess(values: KeyValues): KeyValues {
  const { privateAccess: ids } = values
  if (ids === undefined) return values
  const of = (kind: string): string[] => ids.filter((id) => id.startsWith(`${kind}-`))
  const [vpcId, ...more] = of('vpc')
  const [subnetIds, groups] = [of('subnet'), of('sg')]
  if (vpcId === undefined || more.length > 0 || subnetIds.length === 0)
    throw new DeploymentError(
      'context privateAccess: needs one VPC and its private subnets, such as vpc-0123456789abcdef0,subnet-0123456789abcdef0,sg-0123456789abcdef0',
    )
  const ofClusters = groups.length > 0 && { clusterSecurityGroupIds: groups }
  const meant: KeyValues = { vpcId, subnetIds, functionsInVpc: true, ...ofClusters }
  const twice = [...Object.keys(meant), 'assignPublicIp'].find(
    (key) => values[key as keyof KeyValues] !== undefined,
  )
  if (twice === undefined) return { ...values, ...meant }
  throw new DeploymentError(`context ${twice}: privateAccess says it already; leave out one of them`)
}

/** @throws DeploymentError for a VPC without what must be known of it */
function readVpc(values: KeyValues): VpcContext | undefined {
  const { vpcId, subnetIds, vpcCidr, routeTableIds, assignPublicIp, vpcEndpoints, functionsInVpc } = values
  if (vpcId === undefined) {
    const ofVpc = Object.entries({ vpcCidr, routeTableIds, assignPublicIp, subnetIds })
    const [alone] = ofVpc.find(([, value]) => value !== undefined) ?? []
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
  if (vpcEndpoints !== undefined && vpcCidr === undefined)
    throw new DeploymentError(
      'context vpcEndpoints: everything in the VPC may use them, by its address range; give vpcCidr as well',
    )
  if (routeTableIds === undefined && vpcEndpoints?.some((name) => ['all', 's3', 'dynamodb'].includes(name)))
    throw new DeploymentError(
      'context vpcEndpoints: those of s3 and dynamodb need route tables; give routeTableIds as well, one for each of subnetIds',
    )
  if (assignPublicIp && functionsInVpc)
    throw new DeploymentError(
      'context functionsInVpc: functions get no address in public subnets, and reach nothing from there; give subnetIds of private subnets, and leave assignPublicIp out',
    )
  return { vpcId, subnetIds, vpcCidr, routeTableIds, assignPublicIp }
}

function readTags(tags: readonly string[]): [string, string][] {
  const ofAws = tags.find((tag) => tag.startsWith('aws:'))
  if (ofAws !== undefined)
    throw new DeploymentError(`context tags: "${ofAws}" begins with aws:, which AWS keeps for itself`)
  return tags.map((tag) => {
    const separator = tag.indexOf('=')
    return [tag.slice(0, separator), tag.slice(separator + 1)]
  })
}

function readViews(values: KeyValues): ViewsContext | undefined {
  const { viewsSpec: spec, viewsOperator: operator } = values
  const { viewsEventBus: eventBus, viewsCloudMapNamespace: cloudMapNamespace } = values
  if (spec !== undefined) return { spec, operator, eventBus, cloudMapNamespace }
  if ((operator ?? eventBus ?? cloudMapNamespace) === undefined) return undefined
  throw new DeploymentError(
    'context viewsSpec: must be given with the other keys of views: the path of the spec’s file',
  )
}

function suggestion(key: string, known: readonly string[]): string {
  const meant = nearest(key, known)
  return meant === undefined ? '' : ` (${key}: did you mean ${meant}?)`
}
