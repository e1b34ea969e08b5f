import type { ClusterSet } from '../../shared/cluster-sets/index.ts'
import type { FleetDryRunOptions } from '../../shared/fleet/index.ts'
import { loadClusters } from '../../shared/kubernetes/index.ts'
import { NO_CLUSTER_SETS, type Settings } from '../../shared/settings/index.ts'
import { SILENT_LOG } from '../../shared/telemetry/index.ts'
import type { ClustersFlags } from '../options/common.ts'
import { clusterSetsOfFlags, type FleetFlags } from '../options/fleet.ts'
import { UsageError } from '../usage.ts'
import { ReadableClusters } from './open-clusters.ts'

export interface OpenFleet {
  /** What a dry run of a sync needs beside the name of a Service. Its clients cannot write. */
  readonly dryRun: Omit<FleetDryRunOptions, 'namespace' | 'name'>
  /** Namespace of the first context; absent where it names none. */
  readonly namespace: string | undefined
  close(): void
}

/**
 * Opens the clusters of the set that the flags make, or of that one of `--cluster-sets` that `--fleet` names.
 * @throws UsageError @throws KubeconfigError
 */
export async function openFleet(
  { kubeconfig, context }: ClustersFlags,
  fleet: FleetFlags,
  settings: Settings,
): Promise<OpenFleet> {
  const connections = await loadClusters(kubeconfig, context)
  const names = connections.map(({ name }) => name)
  const set = setOf(fleet, settings.clusterSets, names)
  const clusters = new ReadableClusters(kubeconfig, connections)
  return {
    dryRun: {
      ...{ set, settings, now: Date.now },
      clientOf: (name) => clusters.clusterOf(name).client,
      // What a reconcile would log is in the report.
      logger: SILENT_LOG,
      signal: new AbortController().signal,
    },
    namespace: connections[0]?.namespace,
    close: () => clusters.close(),
  }
}

/** @throws UsageError */
function setOf(
  { fleet, ...flags }: FleetFlags,
  clusterSets: string,
  clusters: readonly string[],
): ClusterSet {
  const made = clusterSets === NO_CLUSTER_SETS ? { fleet: fleet ?? true } : {}
  const sets = clusterSetsOfFlags({ ...flags, ...made }, clusterSets, clusters)
  const named = typeof fleet === 'string' ? sets.filter(({ name }) => name === fleet) : sets
  const [set, another] = named
  if (set !== undefined && another === undefined) return set
  const known = sets.map(({ name }) => name).join(', ')
  throw new UsageError(`--fleet: name one of the cluster sets: ${known}`)
}
