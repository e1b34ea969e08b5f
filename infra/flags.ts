import { resolve } from 'node:path'
import type { ClusterConfig } from '../shared/clusters/index.ts'
import { FLEET_KEYS } from './fleet-context.ts'
import { GUARD_KEYS } from './guards-context.ts'
import { NETWORK_KEYS } from './network-context.ts'
import { DeploymentError } from './settings/index.ts'

/** Keys of the context that are flags, too; commander names them alike. */
export const FLAG_KEYS = { ...NETWORK_KEYS, ...GUARD_KEYS, ...FLEET_KEYS }
type KeyOptions = { readonly [Key in keyof typeof FLAG_KEYS]?: string | true }

export interface DeployOptions extends KeyOptions {
  readonly cluster: readonly string[]
  readonly tag?: string
  readonly region?: string
  readonly stack: string
  readonly set: readonly string[]
  readonly context: readonly string[]
}

const EKS_ARN = /^arn:aws[a-z-]*:eks:([a-z0-9-]+):\d{12}:cluster\/(.+)$/
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
  const clusters = options.cluster.map((text) => clusterOf(text, region))
  if (options.tag !== undefined) clusters.push(searchOf(options.tag, region))
  return [
    ...(clusters.length > 0 ? [`clusters=${JSON.stringify(clusters)}`] : []),
    `stackName=${options.stack}`,
    ...(region === undefined ? [] : [`region=${region}`]),
    ...Object.keys(FLAG_KEYS).flatMap((key) => {
      const value = options[key as keyof KeyOptions]
      return value === undefined ? [] : [`${key}=${value}`]
    }),
    ...options.set.map((text) => pair('--set', text)),
    ...options.context.map((text) => fromHere(pair('--context', text), environment)),
  ]
}

const PATH_KEY = 'viewsSpec='

/** Resolves a path where the command was given: `npm run` and the app have folders of their own. */
function fromHere(text: string, { INIT_CWD = '.' }: Readonly<Record<string, string | undefined>>): string {
  return text.startsWith(PATH_KEY) ? PATH_KEY + resolve(INIT_CWD, text.slice(PATH_KEY.length)) : text
}

function clusterOf(text: string, region: string | undefined): ClusterConfig {
  const separator = text.indexOf('=')
  const [name, place] =
    separator < 0 ? [text, undefined] : [text.slice(0, separator), text.slice(separator + 1)]
  if (place === undefined)
    return { name, kind: 'eks', clusterName: name, region: needed(region, `--cluster ${text}`) }
  const [, ofEks, clusterName] = EKS_ARN.exec(place) ?? []
  if (ofEks !== undefined && clusterName !== undefined)
    return { name, kind: 'eks', clusterName, region: ofEks }
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
  return {
    kind: 'discover',
    region: needed(region, `--tag ${text}`),
    tagKey,
    ...(tagValue !== undefined && { tagValue }),
  }
}

function needed(region: string | undefined, flag: string): string {
  if (region !== undefined) return region
  throw new DeploymentError(`${flag}: in which region? Give --region, or set AWS_REGION`)
}

function pair(flag: string, text: string): string {
  if (/^[^=]+=/.test(text)) return text
  throw new DeploymentError(`${flag} ${text}: must be name=value`)
}
