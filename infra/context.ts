import { type ClusterConfig, ClusterConfigError, checkClusters } from '../shared/clusters/index.ts'
import { nearest } from '../shared/schema/index.ts'
import { withValues } from '../shared/values/index.ts'
import { type Form, flag, formed, text } from './context-values.ts'
import { GIVEN_KEYS, type GivenContext, readGiven } from './given-context.ts'
import { NETWORK_KEYS, type NetworkContext, readNetwork } from './network-context.ts'
import {
  DeploymentError,
  type DeploymentSettingsInput,
  describeDeploymentSettings,
} from './settings/index.ts'

/** Context of the app (`-c key=value`, cdk.json): the description of a deployment. */
export interface Context extends NetworkContext, GivenContext {
  readonly clusters: readonly ClusterConfig[]
  readonly settings: DeploymentSettingsInput
  /** Name of the stack; default `Sliceflow`. */
  readonly stackName: string
  /** Default: the one that the AWS CLI would take. */
  readonly region?: string
  /** Account to deploy to: credentials of another are refused. Default: that of the credentials. */
  readonly account?: string
  readonly natGateways?: number
  readonly keepState?: boolean
  readonly accessEntries?: boolean
  readonly canary?: boolean
  readonly standby?: boolean
  readonly runbooks?: string
  /** Views to publish; absent where none are. */
  readonly views?: ViewsContext
}

/** Values of the keys `viewsSpec`, `viewsOperator`, `viewsEventBus` and `viewsCloudMapNamespace`. */
export interface ViewsContext {
  readonly spec: string
  readonly operator?: string
  /** Name or ARN. */
  readonly eventBus?: string
  /** Id. */
  readonly cloudMapNamespace?: string
}

const OTHER_KEYS = [
  'clusters',
  'stackName',
  'region',
  'account',
  'natGateways',
  'keepState',
  'accessEntries',
  'canary',
  'standby',
  'runbooks',
  'viewsSpec',
  'viewsOperator',
  'viewsEventBus',
  'viewsCloudMapNamespace',
  ...Object.keys(NETWORK_KEYS),
  ...Object.keys(GIVEN_KEYS),
]
const ACCOUNT: Form = { pattern: /^\d{12}$/, what: 'an account of AWS, 12 digits' }
/** CDK's own keys: feature flags, cached lookups, and those that its command sets. */
const OF_CDK = /^(aws:|aws-cdk:|@aws-cdk|cdk|availability-zones:|vpc-provider:|hosted-zone:|ami:|ssm:|tree)/

/**
 * Checks the context and reads it.
 * @throws DeploymentError for a key that is not known, or a value that cannot be used
 */
export function readContext(context: Readonly<Record<string, unknown>>): Context {
  const settingNames = describeDeploymentSettings().map(({ name }) => name as string)
  const known = [...settingNames, ...OTHER_KEYS]
  const unknown = Object.keys(context).filter((key) => !known.includes(key) && !OF_CDK.test(key))
  if (unknown.length > 0)
    throw new DeploymentError(
      `context ${unknown.join(', ')}: is not known${unknown.map((key) => suggestion(key, known)).join('')}; infra/README.md lists every key`,
    )
  return withValues<Context>({
    clusters: readClusters(context.clusters),
    settings: withValues(Object.fromEntries(settingNames.map((name) => [name, context[name]]))),
    stackName: text(context, 'stackName') ?? 'Sliceflow',
    region: text(context, 'region'),
    account: formed(context, 'account', ACCOUNT),
    natGateways: natGateways(context),
    keepState: flag(context, 'keepState'),
    accessEntries: flag(context, 'accessEntries'),
    canary: flag(context, 'canary'),
    standby: flag(context, 'standby'),
    runbooks: text(context, 'runbooks'),
    views: readViews(context),
    ...readNetwork(context),
    ...readGiven(context),
  })
}

function readClusters(value: unknown): ClusterConfig[] {
  if (value === undefined)
    throw new DeploymentError(
      'clusters: none is given; name one with --cluster, or in the context: -c clusters=\'[{"name":"eu-1","kind":"eks","clusterName":"eu-1","region":"eu-west-1"}]\'',
    )
  try {
    return checkClusters(typeof value === 'string' ? JSON.parse(value) : value)
  } catch (cause) {
    if (cause instanceof ClusterConfigError) throw new DeploymentError(cause.message, { cause })
    throw new DeploymentError('clusters: the text is not JSON', { cause })
  }
}

function readViews(context: Readonly<Record<string, unknown>>): ViewsContext | undefined {
  const views = withValues<Omit<ViewsContext, 'spec'>>({
    operator: text(context, 'viewsOperator'),
    eventBus: text(context, 'viewsEventBus'),
    cloudMapNamespace: text(context, 'viewsCloudMapNamespace'),
  })
  const spec = text(context, 'viewsSpec')
  if (spec !== undefined) return { spec, ...views }
  if (Object.keys(views).length === 0) return undefined
  throw new DeploymentError(
    'context viewsSpec: must be given with the other keys of views: the path of the spec’s file',
  )
}

function natGateways({ natGateways: value }: Readonly<Record<string, unknown>>): number | undefined {
  if (value === undefined) return undefined
  if (/^[0-3]$/.test(String(value))) return Number(value)
  throw new DeploymentError(`context natGateways: "${String(value)}" is not a number from 0 to 3`)
}

function suggestion(key: string, known: readonly string[]): string {
  const meant = nearest(key, known)
  return meant === undefined ? '' : ` (${key}: did you mean ${meant}?)`
}
