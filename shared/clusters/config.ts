import * as v from 'valibot'
import { CLUSTER_SET_PREFIX } from '../kubernetes/index.ts'
import { type SchemaIssue, safeParse, strictObject } from '../schema/index.ts'
import { parseJson } from '../values/index.ts'
import { ClusterConfigError } from './errors.ts'

const REGION = v.pipe(
  v.string('must be given, such as "eu-west-1"'),
  v.regex(/^[a-z]{2,8}(-[a-z]+)+-\d$/, 'must be a region such as "eu-west-1"'),
)
/** EKS' own rule for names. */
export const EKS_NAME_PATTERN = /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/
const EKS_NAME = v.pipe(
  v.string('must be given: the name that EKS has for the cluster'),
  v.regex(EKS_NAME_PATTERN, 'must be the name of an EKS cluster: letters, digits, "-" and "_"'),
)
const ROLE_ARN = v.pipe(
  v.string(),
  v.regex(
    /^arn:aws[a-z-]*:iam::\d{12}:role\/.+$/,
    'must be the ARN of a role, such as "arn:aws:iam::123456789012:role/sliceflow"',
  ),
)
const SECRET_ARN = v.pipe(
  v.string('must be given: the ARN of the secret'),
  v.regex(
    /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:.+$/,
    'must be the ARN of a secret of Secrets Manager',
  ),
)
/** The queue library's rule for the cluster of a message. */
const NAME = v.pipe(
  v.string('must be given: the name of the cluster in keys, logs and metrics'),
  v.regex(/^[\x21-\x7e]{1,512}$/, 'must be 1 to 512 printable characters without spaces'),
  v.check((name) => !name.startsWith(CLUSTER_SET_PREFIX), `must not begin with "${CLUSTER_SET_PREFIX}"`),
)

const role = {
  /** A role in the cluster's account that is assumed first. */
  roleArn: v.optional(ROLE_ARN),
  /** External ID that the role's trust policy requires, if any. */
  externalId: v.optional(v.pipe(v.string(), v.minLength(2), v.maxLength(1224))),
}

const EKS = strictObject({
  name: NAME,
  kind: v.literal('eks'),
  clusterName: EKS_NAME,
  region: REGION,
  ...role,
})
const SECRET = strictObject({ name: NAME, kind: v.literal('secret'), secretArn: SECRET_ARN })
const NO_TAG_KEY = 'must be given: the key of the tag'
/** EKS clusters of an account and region with a tag, named NAME-REGION-ACCOUNT to be unique. */
const DISCOVER = strictObject({
  kind: v.literal('discover'),
  region: REGION,
  tagKey: v.pipe(v.string(NO_TAG_KEY), v.minLength(1, NO_TAG_KEY), v.maxLength(128, NO_TAG_KEY)),
  /** Default: any value. */
  tagValue: v.optional(v.pipe(v.string(), v.maxLength(256))),
  /** Key of a tag whose value is the name of a cluster that has it; default: no cluster has an alias. */
  nameTag: v.optional(
    v.pipe(
      v.string(),
      v.minLength(1, 'must be the key of a tag'),
      v.maxLength(128, 'must be the key of a tag'),
    ),
  ),
  ...role,
})

const ENTRY = v.variant('kind', [EKS, SECRET, DISCOVER], ({ input, path }) => {
  const entry = path?.[0]?.input ?? input
  return `kind: "${String((entry as { kind?: unknown } | null)?.kind)}" is not one of "eks", "secret", "discover"${
    looksLikeKubeconfig(entry)
      ? '; a kubeconfig is only for `sliceflow run`: functions run no exec plugins'
      : ''
  }`
})

export type EksClusterConfig = v.InferOutput<typeof EKS>
export type SecretClusterConfig = v.InferOutput<typeof SECRET>
export type DiscoveryConfig = v.InferOutput<typeof DISCOVER>
export type ClusterConfig = v.InferOutput<typeof ENTRY>

const looksLikeKubeconfig = (input: unknown): boolean =>
  typeof input === 'object' &&
  input !== null &&
  ['users', 'clusters', 'contexts', 'exec', 'kubeconfig'].some((name) => name in input)

/**
 * Checks a list of clusters as functions get it.
 * @throws ClusterConfigError with every entry that is wrong, by its name or place in the list, and what is
 *   allowed
 */
export function checkClusters(list: unknown): ClusterConfig[] {
  if (!Array.isArray(list))
    throw new ClusterConfigError(
      'clusters: must be a list, such as [{"name":"eu-1","kind":"eks","clusterName":"eu-1","region":"eu-west-1"}]',
    )
  if (list.length === 0)
    throw new ClusterConfigError('clusters: the list is empty; name at least one cluster')
  const problems: string[] = []
  const clusters = list.flatMap((entry: unknown, index) => {
    const result = safeParse(ENTRY, entry)
    if (result.success) return [result.data]
    problems.push(...result.issues.map((issue) => `${placeOf(entry, index)}: ${textOf(issue)}`))
    return []
  })
  for (const name of duplicates(clusters))
    problems.push(`cluster "${name}": the name is given twice; names tell clusters apart in keys and logs`)
  for (const [first, second] of sameTargets(clusters))
    problems.push(`clusters "${first}" and "${second}" are one cluster: take one of the two entries out`)
  if (problems.length > 0) throw new ClusterConfigError(problems.join('; '))
  return clusters
}

export function parseClusters(text: string): ClusterConfig[] {
  const list = parseJson(text)
  if (list === undefined) throw new ClusterConfigError('clusters: the text is not JSON')
  return checkClusters(list)
}

const placeOf = (entry: unknown, index: number): string => {
  const name = (entry as { name?: unknown } | null)?.name
  return typeof name === 'string' ? `cluster "${name}"` : `cluster ${index + 1} of the list`
}

const textOf = ({ path, message }: SchemaIssue): string =>
  path.length === 0 || message.startsWith('kind:') ? message : `${path.join('.')} ${message}`

function duplicates(clusters: readonly ClusterConfig[]): Set<string> {
  const names = clusters.flatMap((cluster) => ('name' in cluster ? [cluster.name] : []))
  return new Set(names.filter((name, index) => names.indexOf(name) !== index))
}

/** Finds entries of the list with the same target; other duplicates are found later by their uids. */
function sameTargets(clusters: readonly ClusterConfig[]): [first: string, second: string][] {
  const names = new Map<string, string>()
  return clusters.flatMap((cluster): [string, string][] => {
    if (cluster.kind === 'discover') return []
    const target = targetOf(cluster)
    const first = names.get(target)
    names.set(target, first ?? cluster.name)
    return first === undefined || first === cluster.name ? [] : [[first, cluster.name]]
  })
}

/** Returns the account of a role; undefined without one. */
export const accountOfRole = (arn: string | undefined): string | undefined => arn?.split(':')[4]

/** EKS has a name once in a region of an account, which is that of the role. */
const targetOf = (cluster: EksClusterConfig | SecretClusterConfig): string =>
  cluster.kind === 'secret'
    ? cluster.secretArn
    : `${cluster.region} ${accountOfRole(cluster.roleArn) ?? ''} ${cluster.clusterName}`
