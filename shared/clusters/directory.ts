import type { ClusterConnection } from '../kubernetes/index.ts'
import type { Log } from '../telemetry/index.ts'
import type { Aws, TaggedCluster } from './aws.ts'
import {
  type ClusterConfig,
  type DiscoveryConfig,
  EKS_NAME_PATTERN,
  type EksClusterConfig,
} from './config.ts'
import { type ConnectionOptions, eksConnection } from './eks-connection.ts'
import { secretConnection } from './secret-connection.ts'

interface DirectoryOptions {
  readonly clusters: readonly ClusterConfig[]
  readonly aws: Aws
  readonly logger: Log
}

export type ClusterDirectory = ReturnType<typeof createClusterDirectory>

export interface DirectoryProblems {
  /** Excluded names, as two clusters have them; each with what to do, in words. */
  readonly ambiguous: ReadonlyMap<string, string>
  /** Errors of searches that have no earlier result: there may be clusters that are not known. */
  readonly unsearched: readonly unknown[]
}

/** Knows the clusters of a deployment: those of its list, and those that a tag finds. */
export function createClusterDirectory({ clusters, aws, logger }: DirectoryOptions) {
  const options: ConnectionOptions = { aws, logger }
  const listed = clusters.flatMap((config) =>
    config.kind === 'discover' ? [] : [connectionOf(config, options)],
  )
  const searches = clusters
    .filter((config) => config.kind === 'discover')
    .map((config) => createSearch(config, options))
  const listedNames = new Set(listed.map(({ name }) => name))
  let problems: DirectoryProblems = { ambiguous: new Map(), unsearched: [] }
  let tags: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map()

  function distinct(found: readonly ClusterConnection[]): readonly ClusterConnection[] {
    const byName = Map.groupBy(found, ({ name }) => name)
    for (const name of byName.keys()) if (listedNames.has(name)) logger.warn({ cluster: name }, HIDDEN)
    return [...byName].flatMap(([name, same]) => (listedNames.has(name) || same.length > 1 ? [] : same))
  }

  return {
    /** False: the list is all there is, and never changes. */
    isDiscovering: searches.length > 0,
    /**
     * Knows every cluster, and asks EKS about none: that is for the first call to it. A cluster has the same
     * connection in each call, unless it gets another name. If a search fails, its earlier result stands in
     * for it, and the other clusters are not affected. A cluster that two searches find is there once. An
     * alias that two clusters share is excluded, as a key with it would be ambiguous. A listed cluster takes
     * precedence over a discovered one.
     */
    async connections(): Promise<readonly ClusterConnection[]> {
      const results = await Promise.all(searches.map((search) => search()))
      const all = onceEach(results.flatMap((result) => result.found))
      const found = all.map(({ connection }) => connection)
      // Two clusters of one name have the tags of both: neither is managed, and each may be in a set.
      const byName = Map.groupBy(all, ({ connection }) => connection.name)
      // Those of one that has the name of a listed cluster are of another cluster.
      const named = [...byName].filter(([name]) => !listedNames.has(name))
      tags = new Map(
        named.map(([name, same]) => [name, Object.assign({}, ...same.map((one) => one.cluster.tags))]),
      )
      const clear = distinct(found)
      const names = new Set([...listed, ...clear].map(({ name }) => name))
      const ambiguous = new Map(
        [...byName].flatMap(([name, same]) => (names.has(name) ? [] : [[name, ambiguity(name, same)]])),
      )
      for (const [cluster, problem] of ambiguous) logger.error({ cluster, problem }, AMBIGUOUS)
      problems = { ambiguous, unsearched: results.flatMap(({ unsearched }) => unsearched) }
      return [...listed, ...clear]
    },
    /** Returns the problems of the last call of `connections`. */
    problems: () => problems,
    /** Returns the tags of the clusters that the last call of `connections` found by a tag, by name. */
    tags: () => tags,
  }
}

const AMBIGUOUS = 'two clusters with the tag have this name, and neither is managed'

/** Leaves one entry of a cluster that several searches find, that of the first one in the list. */
const onceEach = (found: readonly Found[]): readonly Found[] =>
  [...Map.groupBy(found, ({ cluster }) => cluster.arn).values()].flatMap(([first]) => first ?? [])

/** Says which clusters have one name, and what to do. */
function ambiguity(name: string, same: readonly Found[]): string {
  const arns = same.map(({ cluster }) => cluster.arn).join(' and ')
  return `several clusters are called "${name}": ${arns}; give all but one another value of the tag that names them, or none`
}

const HIDDEN = 'a cluster with the tag has the name of a listed one, and is not managed; take its tag away'

/** A connection, and where it leads. */
interface Found {
  readonly connection: ClusterConnection
  readonly cluster: TaggedCluster
}

const connectionOf = (
  config: Exclude<ClusterConfig, DiscoveryConfig>,
  options: ConnectionOptions,
): ClusterConnection =>
  config.kind === 'eks' ? eksConnection(config, options) : secretConnection(config, options)

/** Discovers the clusters with the tag. A connection is reused while ARN and name of its cluster stay. */
function createSearch(config: DiscoveryConfig, options: ConnectionOptions) {
  const { aws, logger } = options
  const { region, tagKey, roleArn, externalId } = config
  let known: ReadonlyMap<string, Found> = new Map()
  let hasSucceeded = false

  function nameOf(cluster: TaggedCluster): string {
    const unique = uniqueName(cluster)
    const { alias, problem } = aliasIn(cluster.tags, config.nameTag)
    if (problem !== undefined) logger.warn({ cluster: unique, problem }, 'the cluster has no alias')
    return alias ?? unique
  }

  function connect(cluster: TaggedCluster): Found {
    const name = nameOf(cluster)
    const before = known.get(cluster.arn)?.connection
    if (before?.name === name) return { connection: before, cluster }
    if (before !== undefined) logger.warn({ cluster: name, before: before.name }, RENAMED)
    const { clusterName } = cluster
    const eks: EksClusterConfig = { kind: 'eks', name, clusterName, region, roleArn, externalId }
    return { connection: eksConnection(eks, options), cluster }
  }

  return async () => {
    const unsearched: unknown[] = []
    try {
      const found = await aws.taggedClusters(config, config)
      known = new Map(found.map((cluster) => [cluster.arn, connect(cluster)]))
      hasSucceeded = true
    } catch (err) {
      logger.error({ err, region, tagKey, roleArn }, CANNOT_SEARCH)
      if (!hasSucceeded) unsearched.push(err)
    }
    return { found: [...known.values()], unsearched }
  }
}

const CANNOT_SEARCH = 'cannot look for clusters: continuing with those found before'
const RENAMED = 'the cluster has another name by now: its keys are sent again under this one'

/**
 * Returns the name of a cluster that was found: no other one has it, whatever accounts and regions are
 * searched, and it is a DNS label wherever its name in EKS is a short one, as ids in cluster sets must be.
 */
const uniqueName = ({
  clusterName,
  region,
  account,
}: Pick<TaggedCluster, 'clusterName' | 'region' | 'account'>): string => `${clusterName}-${region}-${account}`

/** Ending of the names that clusters have without an alias: no alias may end like this. */
const RESERVED = /-\d-\d{12}$/

/** Reads the alias of a cluster from its tags; a value that cannot be one is a problem, in words. */
function aliasIn(
  tags: TaggedCluster['tags'],
  nameTag: string | undefined,
): { readonly alias?: string; readonly problem?: string } {
  const alias = nameTag === undefined ? undefined : tags[nameTag]
  if (alias === undefined) return {}
  // What EKS would allow, so that an alias is as safe in keys and metrics as a name is.
  if (!EKS_NAME_PATTERN.test(alias))
    return { problem: `tag ${nameTag}: "${alias}" is no name: give letters, digits, "-" and "_"` }
  if (RESERVED.test(alias))
    return { problem: `tag ${nameTag}: "${alias}" ends as names without an alias do; give another one` }
  return { alias }
}
