import { clusterSetProblems } from '../../shared/cluster-sets/index.ts'
import type { ClusterConfig } from '../../shared/clusters/index.ts'
import { type ClusterSetInput, NO_CLUSTER_SETS, parseClusterSets } from '../../shared/settings/index.ts'
import type { DeploymentSettings, DeploymentSettingsInput } from './deployment-settings.ts'
import { DeploymentError } from './errors.ts'

/** Services over several clusters, by ServiceExports and ServiceImports (KEP-1645). */
export interface FleetInput {
  /** Default: one set, `default`, of all clusters. */
  readonly sets?: readonly ClusterSetInput[]
  /** Patterns of the namespaces of that one set; default: all but `kube-*`. */
  readonly namespaces?: readonly string[]
}

/** Writes cluster sets as their setting has them. @throws DeploymentError where both are given */
export function withFleet(
  settings: DeploymentSettingsInput,
  fleet: FleetInput | undefined,
): DeploymentSettingsInput {
  if (fleet === undefined) return settings
  const { sets, namespaces } = fleet
  if (settings.clusterSets !== undefined)
    throw new DeploymentError(
      'fleet: the setting clusterSets defines the sets already; leave one of the two out',
    )
  if (sets !== undefined && namespaces !== undefined)
    throw new DeploymentError('fleet: with sets, namespaces belong to each set; move them there')
  const ofAll = { name: 'default', clusters: [{ name: '*' }], ...(namespaces && { namespaces }) }
  return { ...settings, clusterSets: JSON.stringify(sets ?? [ofAll]) }
}

/**
 * Checks that sets can be made of the clusters, as far as they are known before a tag has found some.
 * @throws DeploymentError
 */
export function checkFleet(
  { clusterSets }: Pick<DeploymentSettings, 'clusterSets'>,
  clusters: readonly ClusterConfig[],
): void {
  if (clusterSets === NO_CLUSTER_SETS) return
  const listed = clusters.flatMap((cluster) => (cluster.kind === 'discover' ? [] : [{ name: cluster.name }]))
  if (listed.length < clusters.length) return
  const problems = clusterSetProblems(parseClusterSets(clusterSets), listed)
  if (problems.length > 0) throw new DeploymentError(`fleet (clusterSets): ${problems.join('; ')}`)
}
