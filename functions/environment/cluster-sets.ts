import { type ClusterSet, clusterSetProblems, resolveClusterSets } from '../../shared/cluster-sets/index.ts'
import type { ClusterClients, ClusterConfig } from '../../shared/clusters/index.ts'
import { parseClusterSets, type Settings, variableOf } from '../../shared/settings/index.ts'
import { EnvironmentError } from './environment.ts'

interface ClusterSetsOptions {
  readonly settings: Pick<Settings, 'clusterSets'>
  readonly clusters: readonly ClusterConfig[]
  readonly clients: Pick<ClusterClients, 'known'>
}

/**
 * Opens the cluster sets of a deployment.
 * @returns what they are made of by now: clusters that a tag finds may join and leave
 * @throws EnvironmentError where every cluster is listed and the sets cannot be used
 */
export function openClusterSets({
  settings,
  clusters,
  clients,
}: ClusterSetsOptions): () => readonly ClusterSet[] {
  const configs = parseClusterSets(settings.clusterSets)
  const listed = clusters.flatMap((cluster) => (cluster.kind === 'discover' ? [] : [{ name: cluster.name }]))
  const isDiscovered = listed.length < clusters.length
  const problems = isDiscovered ? [] : clusterSetProblems(configs, listed)
  if (problems.length > 0) throw new EnvironmentError(`${variableOf('clusterSets')}: ${problems.join('; ')}`)
  return () => resolveClusterSets(configs, clients.known()).map((set) => ({ ...set, isDiscovered }))
}
