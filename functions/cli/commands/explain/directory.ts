import {
  type ClusterConnection,
  type KubeconfigFiles,
  loadClusters,
} from '../../../../shared/kubernetes/index.ts'
import { type ReadableCluster, UnknownClusterError } from '../../../../shared/reconciler/index.ts'
import { openReadable } from '../../clusters/open-readable.ts'

/** Clients of the clusters that are asked for, none of which can write. */
export interface Directory {
  readonly clusterOf: (name: string) => ReadableCluster
  /** Opens those that were asked for in vain. @returns whether there is one more now */
  loadMissing(): Promise<boolean>
  close(): void
}

export function createDirectory(
  kubeconfig: string | KubeconfigFiles,
  connections: readonly ClusterConnection[],
): Directory {
  const clusters = new Map<string, ReadableCluster>()
  const missing = new Set<string>()
  const open = (one: ClusterConnection): void => {
    clusters.set(one.name, openReadable(one))
  }
  for (const connection of connections) open(connection)
  return {
    clusterOf(name) {
      const cluster = clusters.get(name)
      if (cluster !== undefined) return cluster
      missing.add(name)
      throw new UnknownClusterError(
        `cluster ${name} is not a context in ${[kubeconfig].flat().join(', ') || 'the service account'}`,
      )
    },
    async loadMissing() {
      const before = clusters.size
      for (const name of missing) {
        const found = await loadClusters(kubeconfig, [name]).catch(() => [])
        for (const one of found) open(one)
      }
      return clusters.size > before
    },
    close() {
      for (const cluster of clusters.values()) cluster.client.close()
    },
  }
}
