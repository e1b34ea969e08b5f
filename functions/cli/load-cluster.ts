import { type ClusterConnection, type KubeconfigFiles, loadClusters } from '../../shared/kubernetes/index.ts'
import { UsageError } from './usage.ts'

/** The flags that name one cluster. */
export interface ClusterOptions {
  readonly kubeconfig: string | KubeconfigFiles
  /** A context; default: the current one. */
  readonly cluster?: string
}

/** @throws UsageError when the kubeconfig names none @throws KubeconfigError */
export async function loadCluster({ kubeconfig, cluster }: ClusterOptions): Promise<ClusterConnection> {
  const [connection] = await loadClusters(kubeconfig, cluster === undefined ? [] : [cluster])
  if (connection === undefined) throw new UsageError(`the kubeconfig names no cluster`)
  return connection
}
