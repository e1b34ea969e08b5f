import * as v from 'valibot'
import { record, type SchemaIssue, safeParse, strictObject } from '../schema/index.ts'
import { parseJson } from '../values/index.ts'
import { choice, integer, shown } from './setting.ts'

/** There is no cluster set. */
export const NO_CLUSTER_SETS = 'none'

const ROLES = ['both', 'export', 'import', 'leave'] as const

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const isLabel = (text: string): boolean => LABEL.test(text)
/** Checks a DNS label in which `*` stands for any text. */
const isLabelPattern = (text: string): boolean => text.length <= 63 && isLabel(text.replaceAll('*', 'x'))
const isNamespaces = (text: string): boolean => isLabelPattern(text.replace(/=leave$/, ''))

const PROPERTY = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
/** Checks the name of a ClusterProperty: a DNS subdomain. */
const isPropertyName = (text: string): boolean => text.length <= 253 && PROPERTY.test(text)

const some = (what: string) => v.pipe(v.string(`must be ${what}`), v.minLength(1, `must be ${what}`))

/** The clusters of one entry: those of a name, or with a tag. */
const CLUSTERS = v.pipe(
  strictObject({
    /** Name of the cluster in keys and logs, in which `*` stands for any text. */
    name: v.optional(some('the name of a cluster, or a pattern such as "eu-*"')),
    /** A tag of the EKS cluster, of those that were found by a tag. */
    tagKey: v.optional(some('the key of a tag')),
    /** Default: any value. */
    tagValue: v.optional(v.string()),
    /** The cluster's id in labels and DNS names; default: its name. */
    id: v.optional(some('a DNS label')),
    /**
     * Default: both. `leave`: it exports nothing any more, and what the set has imported there is removed;
     * then the entry can go.
     */
    role: v.optional(choice(ROLES), 'both'),
    /** By which selectors find it (KEP-5939), such as `region.topology.k8s.io`; before ClusterProperties. */
    properties: v.optional(
      v.pipe(
        record(v.string(), v.string('must be a text'), 'must be an object of texts, such as {"region":"eu"}'),
        v.check(
          (properties) => Object.keys(properties).every(isPropertyName),
          'must have names of properties before their colons, such as {"region":"eu"}',
        ),
      ),
    ),
  }),
  v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
    const message = typed ? problemOfClusters(value) : undefined
    if (message !== undefined) addIssue({ message })
  }),
)

const SET = strictObject({
  /** A DNS label. */
  name: v.pipe(v.string('must be given'), v.check(isLabel, 'must be a DNS label, such as "prod"')),
  /** A cluster is what the first entry says that fits it. */
  clusters: v.pipe(
    v.array(CLUSTERS, 'must be a list of clusters, such as [{"name":"eu-1"},{"name":"us-*"}]'),
    v.minLength(1, 'must name at least one cluster'),
  ),
  /**
   * Patterns of the namespaces that mean the same in all of its clusters, of which the first that matches
   * applies; default: all but `kube-*`. `shop=leave`: what the set has imported there is removed.
   */
  namespaces: v.optional(
    v.pipe(
      v.array(
        v.pipe(
          v.string(),
          v.check(isNamespaces, 'must be a pattern of namespaces, such as "shop", "shop-*" or "shop=leave"'),
        ),
        'must be a list of patterns, such as ["shop","team-*"]',
      ),
      v.minLength(1, 'must name at least one, or "*"'),
    ),
    ['*'],
  ),
  /** Whether ServiceExports may prefer clusters by their properties (KEP-5939). */
  clusterSelection: v.optional(v.boolean('must be true or false')),
  /** Default: the setting of this name. */
  unreachableCluster: v.optional(choice(['keep', 'expire', 'drop'])),
  /** Default: the setting of this name. */
  unreachableClusterExpiry: v.optional(integer(1, 604_800, 'seconds')),
})

/** A set of clusters as it is given; what is left out has its default. */
export type ClusterSetInput = v.InferInput<typeof SET>

/** A set of clusters, as the setting `clusterSets` has it. */
export type ClusterSetConfig = v.InferOutput<typeof SET>

/** Names clusters of a set, and their role in it. */
export type ClusterSetEntry = v.InferOutput<typeof CLUSTERS>

type Which = { readonly [Name in 'name' | 'tagKey' | 'tagValue' | 'id']?: string | undefined }

function problemOfClusters({ name, tagKey, tagValue, id }: Which): string | undefined {
  if (name === undefined && tagKey === undefined)
    return 'must have a name, or a tagKey of the clusters that a tag found'
  if (name !== undefined && tagKey !== undefined) return 'has a name and a tagKey: leave one of the two out'
  if (tagKey === undefined && tagValue !== undefined) return 'has a tagValue without a tagKey'
  if (id !== undefined && (name === undefined || name.includes('*')))
    return 'has an id for clusters that may be several: ids tell clusters apart, so name the one that it is for'
  return undefined
}

/** Cluster sets, and what is wrong with those that cannot be used, in words. */
interface CheckedClusterSets {
  readonly sets: readonly ClusterSetConfig[]
  readonly problems: readonly string[]
}

/** Returns what is wrong with cluster sets, in words, or `undefined` if they can be used. */
export function clusterSetsProblem(text: string): string | undefined {
  const { problems } = readClusterSets(text)
  return problems.length === 0 ? undefined : problems.join('; ')
}

/** Parses the sets of the setting `clusterSets`. @param text already checked */
export const parseClusterSets = (text: string): readonly ClusterSetConfig[] => readClusterSets(text).sets

const EXAMPLE = '[{"name":"prod","clusters":[{"name":"eu-1"},{"name":"us-1"}],"namespaces":["shop"]}]'

function readClusterSets(text: string): CheckedClusterSets {
  if (text === NO_CLUSTER_SETS) return { sets: [], problems: [] }
  const list = parseJson(text)
  if (Array.isArray(list)) return checkClusterSets(list)
  return { sets: [], problems: [`${shown(text)} is not a JSON list of sets, such as ${EXAMPLE}`] }
}

/** Checks cluster sets, and fills in the defaults. */
export function checkClusterSets(list: readonly unknown[]): CheckedClusterSets {
  const problems: string[] = []
  const sets = list.flatMap((entry, index) => {
    const result = safeParse(SET, entry)
    if (result.success) return [result.data]
    const name = (entry as { name?: unknown } | null)?.name
    const place = typeof name === 'string' ? `set ${shown(name)}` : `set ${index + 1} of the list`
    problems.push(...result.issues.map((issue) => `${place}: ${textOf(issue)}`))
    return []
  })
  return { sets, problems: [...problems, ...taken(sets)] }
}

/** Describes an issue with its place, such as `clusters 2 role: "reader" is not one of both, …`. */
function textOf({ path, message }: SchemaIssue): string {
  const place = path.map((part) => (typeof part === 'number' ? part + 1 : String(part))).join(' ')
  return place === '' ? message : `${place}: ${message}`
}

function taken(sets: readonly ClusterSetConfig[]): string[] {
  const byName = Map.groupBy(sets, ({ name }) => name)
  const twice = [...byName].flatMap(([name, { length }]) =>
    length > 1 ? [`set "${name}": the name is given ${length} times`] : [],
  )
  const claims = sets.flatMap(({ name: set, clusters }) => clusters.map(({ name }) => ({ set, name })))
  const byCluster = Map.groupBy(claims, ({ name }) => name)
  return [
    ...twice,
    ...[...byCluster].flatMap(([name, all]) => {
      const [one, other] = new Set(all.map(({ set }) => set))
      if (name === undefined || other === undefined) return []
      return [`clusters "${name}" are in the sets "${one}" and "${other}"; a cluster is in one set at most`]
    }),
  ]
}
