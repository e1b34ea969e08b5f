import pLimit from 'p-limit'
import type { ClusterConnection } from '../../shared/kubernetes/index.ts'
import type { Log } from '../../shared/telemetry/index.ts'
import type { Aws } from './aws.ts'
import type { ClusterConfig, DiscoveryConfig, EksClusterConfig } from './config.ts'
import { type ConnectionOptions, eksConnection } from './eks-connection.ts'
import { ClusterConfigError } from './errors.ts'
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
   * Every cluster that is known; a cluster keeps its connection from call to call. Where a search fails, what it found
   * before stands in for it, and the other clusters are none the worse.
   * @throws ClusterConfigError when two clusters have one name
   */
  connections(): Promise<readonly ClusterConnection[]>
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
  return {
    isDiscovering: searches.length > 0,
    async connections() {
      const found = await Promise.all(searches.map((search) => search()))
      const all = [...listed, ...found.flat()]
      assertDistinct(all)
      return all
    },
  }
}

const connectionOf = (
  config: Exclude<ClusterConfig, DiscoveryConfig>,
  options: ConnectionOptions,
): ClusterConnection =>
  config.kind === 'eks' ? eksConnection(config, options) : secretConnection(config, options)

/** Looks for the clusters with the tag; each keeps its connection. */
function createSearch(
  config: DiscoveryConfig,
  options: ConnectionOptions,
): () => Promise<readonly ClusterConnection[]> {
  const { aws, logger } = options
  const { region, tagKey, tagValue, roleArn, externalId } = config
  const limit = pLimit(DESCRIPTIONS_AT_ONCE)
  let known: ReadonlyMap<string, ClusterConnection> = new Map()

  async function find(name: string): Promise<ClusterConnection | undefined> {
    try {
      const description = await aws.describeCluster(name, config)
      const value = description.tags[tagKey]
      if (value === undefined || (tagValue !== undefined && value !== tagValue)) return undefined
      const eks: EksClusterConfig = { kind: 'eks', name, clusterName: name, region, roleArn, externalId }
      return known.get(name) ?? eksConnection(eks, options, description)
    } catch (err) {
      logger.warn({ cluster: name, err }, 'cannot tell whether the cluster has the tag')
      return known.get(name)
    }
  }

  return async () => {
    try {
      const names = await aws.listClusters(config)
      const found = await Promise.all(names.map((name) => limit(() => find(name))))
      const connections = found.filter((connection) => connection !== undefined)
      known = new Map(connections.map((connection) => [connection.name, connection]))
    } catch (err) {
      logger.error({ err, region, tagKey }, 'cannot look for clusters: going on with those found before')
    }
    return [...known.values()]
  }
}

function assertDistinct(connections: readonly ClusterConnection[]): void {
  const names = connections.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return
  throw new ClusterConfigError(
    `cluster "${twice}": two clusters have this name; list one of them under another name instead of finding it by its tag`,
  )
}
