import {
  type ClusterConnection,
  type KubeconfigFiles,
  loadClusters,
} from '../../../shared/kubernetes/index.ts'
import { UsageError } from '../usage.ts'

/** The flags that name one cluster. */
export interface ClusterOptions {
  readonly kubeconfig: string | KubeconfigFiles
  /** Default: the current one. */
  readonly context?: string
}

/** @throws UsageError when the kubeconfig names none @throws KubeconfigError */
export async function loadCluster({ kubeconfig, context }: ClusterOptions): Promise<ClusterConnection> {
  const [connection] = await loadClusters(kubeconfig, context === undefined ? [] : [context])
  if (connection === undefined) throw new UsageError(`the kubeconfig names no cluster`)
  return connection
}
