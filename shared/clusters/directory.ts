import pLimit from 'p-limit'
import type { ClusterConnection } from '../kubernetes/index.ts'
import type { Log } from '../telemetry/index.ts'
import type { Aws, EksDescription } from './aws.ts'
import type { ClusterConfig, DiscoveryConfig, EksClusterConfig } from './config.ts'
import { type ConnectionOptions, eksConnection } from './eks-connection.ts'
import { secretConnection } from './secret-connection.ts'

export interface DirectoryOptions {
  readonly clusters: readonly ClusterConfig[]
  readonly aws: Aws
  readonly logger: Log
}

/** The clusters of a deployment: those of its list, and those that a tag finds. */
export interface ClusterDirectory {
  /** False: the list is all there is, and never changes. */
  readonly isDiscovering: boolean
  /**
   * Connects to every known cluster. A cluster has the same connection in each call, unless it was created
   * again under its name. If a search fails, its earlier result stands in for it, and the other clusters are
   * not affected. A cluster that two searches find is there once. A name that two clusters share is
   * excluded, as a key with it would be ambiguous. A listed cluster takes precedence over a discovered one.
   */
  connections(): Promise<readonly ClusterConnection[]>
  /** Returns the problems of the last call of `connections`. */
  problems(): DirectoryProblems
  /** Returns the tags of the clusters that the last call of `connections` found by a tag, by name. */
  tags(): ReadonlyMap<string, Readonly<Record<string, string>>>
}

export interface DirectoryProblems {
  /** Excluded names, as two clusters have them; each with what to do, in words. */
  readonly ambiguous: ReadonlyMap<string, string>
  /** Errors of searches that have no earlier result: there may be clusters that are not known. */
  readonly unsearched: readonly unknown[]
}

/** Answers of EKS waited for at once in a search: it allows some ten calls a second. */
const DESCRIPTIONS_AT_ONCE = 5

export function createClusterDirectory({ clusters, aws, logger }: DirectoryOptions): ClusterDirectory {
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
    isDiscovering: searches.length > 0,
    async connections() {
      const results = await Promise.all(searches.map((search) => search()))
      const all = onceEach(results.flatMap((result) => result.found))
      const found = all.map(({ connection }) => connection)
      // Two clusters of one name have the tags of both: neither is managed, and each may be in a set.
      const byName = Map.groupBy(all, ({ connection }) => connection.name)
      tags = new Map(
        [...byName].map(([name, same]) => [
          name,
          Object.assign({}, ...same.map((one) => one.description.tags)),
        ]),
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
    problems: () => problems,
    tags: () => tags,
  }
}

const AMBIGUOUS = 'two clusters with the tag have this name, and neither is managed'

/** Leaves one entry of a cluster that several searches find, that of the first one in the list. */
const onceEach = (found: readonly Found[]): readonly Found[] =>
  found.filter(
    ({ connection, description }, index) =>
      index ===
      found.findIndex(
        (one) => one.connection.name === connection.name && isSame(one.description, description),
      ),
  )

/** Says which clusters have one name, and what to do. */
function ambiguity(name: string, same: readonly Found[]): string {
  const places = same.map(({ search: { region, tagKey } }) => `${region} (tag ${tagKey})`).join(' and ')
  return `several clusters are called "${name}": those of ${places}; take the tag from all but one, or list one under another name`
}

const HIDDEN = 'a cluster with the tag has the name of a listed one, and is not managed; take its tag away'

interface SearchResult {
  readonly found: readonly Found[]
  readonly unsearched: readonly unknown[]
}

/** A connection, and where it leads. */
interface Found {
  readonly connection: ClusterConnection
  readonly description: EksDescription
  /** The search that found it. */
  readonly search: DiscoveryConfig
}

const connectionOf = (
  config: Exclude<ClusterConfig, DiscoveryConfig>,
  options: ConnectionOptions,
): ClusterConnection =>
  config.kind === 'eks' ? eksConnection(config, options) : secretConnection(config, options)

/** Discovers the clusters with the tag. A connection is reused while the answer of EKS stays the same. */
function createSearch(config: DiscoveryConfig, options: ConnectionOptions): () => Promise<SearchResult> {
  const { aws, logger } = options
  const { region, tagKey, tagValue, roleArn, externalId } = config
  const limit = pLimit(DESCRIPTIONS_AT_ONCE)
  let known: ReadonlyMap<string, Found> = new Map()
  let hasSucceeded = false

  function isWanted({ tags }: EksDescription): boolean {
    const value = tags[tagKey]
    return value !== undefined && (tagValue === undefined || value === tagValue)
  }

  function connect(name: string, description: EksDescription): Found {
    const before = known.get(name)
    if (before !== undefined && isSame(before.description, description)) return { ...before, description }
    if (before !== undefined)
      logger.warn({ cluster: name }, 'the cluster was recreated under its name: following the new one')
    const eks: EksClusterConfig = { kind: 'eks', name, clusterName: name, region, roleArn, externalId }
    return { connection: eksConnection(eks, options, description), description, search: config }
  }

  return async () => {
    const unsearched: unknown[] = []
    async function find(name: string): Promise<Found | undefined> {
      try {
        const description = await aws.describeCluster(name, config)
        return isWanted(description) ? connect(name, description) : undefined
      } catch (err) {
        logger.warn({ cluster: name, err }, 'cannot tell whether the cluster has the tag')
        if (!hasSucceeded) unsearched.push(err)
        return known.get(name)
      }
    }
    try {
      const names = await aws.listClusters(config)
      const found = await Promise.all(names.map((name) => limit(() => find(name))))
      known = new Map(
        found.flatMap((each) => (each === undefined ? [] : [[each.connection.name, each] as const])),
      )
      hasSucceeded ||= unsearched.length === 0
    } catch (err) {
      logger.error({ err, region, tagKey }, 'cannot look for clusters: continuing with those found before')
      if (!hasSucceeded) unsearched.push(err)
    }
    return { found: [...known.values()], unsearched }
  }
}

const isSame = (one: EksDescription, other: EksDescription): boolean =>
  one.endpoint.href === other.endpoint.href && one.ca === other.ca
