import {
  type ClusterConnection,
  createApiClient,
  type KubeconfigFiles,
  loadClusters,
} from '../../shared/kubernetes/index.ts'
import {
  createNodeReader,
  type ReadableCluster,
  readOnlyClient,
  UnknownClusterError,
} from '../../shared/reconciler/index.ts'
import { UsageError } from '../usage.ts'

interface ClusterOptions {
  readonly kubeconfig: string | KubeconfigFiles
  /** Default: the current one. */
  readonly context?: string | undefined
}

/** @throws UsageError when the kubeconfig names none @throws KubeconfigError */
export async function loadCluster({ kubeconfig, context }: ClusterOptions): Promise<ClusterConnection> {
  const [connection] = await loadClusters(kubeconfig, context === undefined ? [] : [context])
  if (connection === undefined) throw new UsageError(`the kubeconfig names no cluster`)
  return connection
}

/** Long enough for a page of a large list, short enough to wait for a cluster that does not answer. */
const CALL_TIMEOUT_MS = 15_000

/** Clusters of a kubeconfig for commands that only read. None of their clients can write. */
export class ReadableClusters {
  readonly #kubeconfig: string | KubeconfigFiles
  readonly #clusters = new Map<string, ReadableCluster>()
  readonly #missing = new Set<string>()

  constructor(kubeconfig: string | KubeconfigFiles, connections: readonly ClusterConnection[]) {
    this.#kubeconfig = kubeconfig
    for (const connection of connections) this.#open(connection)
  }

  #open(connection: ClusterConnection): void {
    const client = readOnlyClient(
      createApiClient(connection, { timeoutMs: CALL_TIMEOUT_MS, role: 'read-only' }),
    )
    this.#clusters.set(connection.name, { client, nodes: createNodeReader(client) })
  }

  /** @throws UnknownClusterError */
  readonly clusterOf = (name: string): ReadableCluster => {
    const cluster = this.#clusters.get(name)
    if (cluster !== undefined) return cluster
    this.#missing.add(name)
    throw new UnknownClusterError(
      `cluster ${name} is not a context in ${[this.#kubeconfig].flat().join(', ') || 'the service account'}`,
    )
  }

  /** Opens those that were asked for in vain. @returns whether there is one more now */
  async loadMissing(): Promise<boolean> {
    const before = this.#clusters.size
    for (const name of this.#missing) {
      const found = await loadClusters(this.#kubeconfig, [name]).catch(() => [])
      for (const connection of found) this.#open(connection)
    }
    return this.#clusters.size > before
  }

  close(): void {
    for (const { client } of this.#clusters.values()) client.close()
  }
}
