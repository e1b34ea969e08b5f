import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'yaml'
import type { ClusterConfig } from '../shared/clusters/index.ts'
import { KEYS } from './context-keys.ts'
import { DeploymentError } from './settings/index.ts'

/** Keys of the context that are flags, too, with what they are; commander names them alike. */
export const FLAG_KEYS = Object.fromEntries(
  Object.entries(KEYS).flatMap(([key, entry]) => ('flag' in entry ? [[key, entry.flag]] : [])),
)
type KeyOptions = { readonly [Key in keyof typeof KEYS]?: string | true }

export interface DeployOptions extends KeyOptions {
  readonly cluster: readonly string[]
  /** File of a list of clusters. */
  readonly clusters?: string
  readonly tag?: string
  readonly region?: string
  readonly account?: string
  readonly stack: string
  readonly set: readonly string[]
  readonly context: readonly string[]
}

const EKS_ARN = /^arn:aws[a-z-]*:eks:(?<region>[a-z0-9-]+):(?<account>\d{12}):cluster\/(?<clusterName>.+)$/
const SECRET_ARN = /^arn:aws[a-z-]*:secretsmanager:/

/**
 * Returns the app's context that the flags mean, `key=value` each.
 * @throws DeploymentError for a flag that cannot be read
 */
export function contextOf(
  options: DeployOptions,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const region = options.region ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION
  const account = accountOf(options)
  const clusters = options.cluster.map((text) => clusterOf(text, region, account))
  if (options.clusters !== undefined) clusters.push(...clustersIn(options.clusters, environment))
  if (options.tag !== undefined) clusters.push(searchOf(options.tag, region))
  return [
    ...(clusters.length > 0 ? [`clusters=${JSON.stringify(clusters)}`] : []),
    `stackName=${options.stack}`,
    ...(region === undefined ? [] : [`region=${region}`]),
    ...(account === undefined ? [] : [`account=${account}`]),
    ...Object.keys(FLAG_KEYS).flatMap((key) => {
      const value = options[key as keyof KeyOptions]
      return value === undefined ? [] : [`${key}=${value}`]
    }),
    ...options.set.map((text) => pair('--set', text)),
    ...options.context.map((text) => fromHere(pair('--context', text), environment)),
  ]
}

const PATH_KEY = 'viewsSpec='

type Variables = Readonly<Record<string, string | undefined>>

/** Resolves a path where the command was given: `npm run` and the app have folders of their own. */
function fromHere(text: string, { INIT_CWD = '.' }: Variables): string {
  return text.startsWith(PATH_KEY) ? PATH_KEY + resolve(INIT_CWD, text.slice(PATH_KEY.length)) : text
}

/** Reads a list of clusters, which is checked with all others. @throws DeploymentError for what is no list */
function clustersIn(file: string, { INIT_CWD = '.' }: Variables): ClusterConfig[] {
  let list: unknown
  try {
    list = parse(readFileSync(resolve(INIT_CWD, file), 'utf8'))
  } catch (cause) {
    throw new DeploymentError(`--clusters ${file}: ${(cause as Error).message.split('\n')[0]}`, { cause })
  }
  if (Array.isArray(list)) return list
  throw new DeploymentError(`--clusters ${file}: must have a list of clusters, in JSON or YAML`)
}

/** A cluster as `--cluster` names it: `NAME`, or `NAME=ARN[,ROLE_ARN[,EXTERNAL_ID]]`. */
function partsOf(text: string): { readonly name: string; readonly place?: string; readonly role: string[] } {
  const separator = text.indexOf('=')
  if (separator < 0) return { name: text, role: [] }
  const [place = '', ...role] = text.slice(separator + 1).split(',')
  return { name: text.slice(0, separator), place, role }
}

/**
 * Returns the account to deploy to: that of `--account`, or the one of all EKS clusters that are named by
 * their ARN and without a role. CDK refuses credentials of another.
 * @throws DeploymentError where these clusters are in several accounts
 */
function accountOf({ account, cluster, context }: DeployOptions): string | undefined {
  const given = account ?? context.findLast((text) => text.startsWith(ACCOUNT_KEY))?.slice(ACCOUNT_KEY.length)
  if (given !== undefined) return given
  const accounts = new Set(
    cluster.map(partsOf).flatMap(({ place = '', role }) => {
      const { account: ofCluster } = EKS_ARN.exec(place)?.groups ?? {}
      return ofCluster === undefined || role.length > 0 ? [] : [ofCluster]
    }),
  )
  if (accounts.size < 2) return [...accounts][0]
  throw new DeploymentError(
    `--cluster: the clusters are in the accounts ${[...accounts].join(' and ')}; name the one to deploy to with --account, and give clusters of others a role: --cluster NAME=ARN,ROLE_ARN`,
  )
}

const ACCOUNT_KEY = 'account='

/** @throws DeploymentError for a place that is none, or of another account without a role of that one */
function clusterOf(text: string, region: string | undefined, account: string | undefined): ClusterConfig {
  const { name, place, role } = partsOf(text)
  if (place === undefined)
    return { name, kind: 'eks', clusterName: name, region: needed(region, `--cluster ${text}`) }
  const { groups } = EKS_ARN.exec(place) ?? {}
  if (groups !== undefined) {
    const { region: ofCluster = '', clusterName = '', account: owner } = groups
    const [roleArn, externalId] = role
    if (roleArn !== undefined || account === undefined || owner === account)
      return { name, kind: 'eks', clusterName, region: ofCluster, roleArn, externalId }
    throw new DeploymentError(
      `--cluster ${name}: the cluster is in account ${owner}, and the deployment in ${account}; give a role of its account as well: --cluster ${name}=${place},arn:aws:iam::${owner}:role/ROLE (infra/README.md, Clusters, says what the role needs)`,
    )
  }
  if (SECRET_ARN.test(place)) return { name, kind: 'secret', secretArn: place }
  if (/^https?:/.test(place))
    throw new DeploymentError(
      `--cluster ${name}: a URL alone is not enough; put {"server", "ca", "token"} into a secret and give its ARN`,
    )
  if (/kubeconfig|\.ya?ml$|\/\.kube\//.test(place))
    throw new DeploymentError(
      `--cluster ${name}: a kubeconfig is only for \`sliceflow run\`, as functions run no exec plugins; give the ARN of an EKS cluster or of a secret`,
    )
  throw new DeploymentError(
    `--cluster ${name}: "${place}" is neither the ARN of an EKS cluster nor of a secret`,
  )
}

function searchOf(text: string, region: string | undefined): ClusterConfig {
  const [tagKey = '', tagValue] = text.split('=', 2)
  return { kind: 'discover', region: needed(region, `--tag ${text}`), tagKey, tagValue }
}

function needed(region: string | undefined, flag: string): string {
  if (region !== undefined) return region
  throw new DeploymentError(`${flag}: in which region? Give --region, or set AWS_REGION`)
}

function pair(flag: string, text: string): string {
  if (/^[^=]+=/.test(text)) return text
  throw new DeploymentError(`${flag} ${text}: must be name=value`)
}
