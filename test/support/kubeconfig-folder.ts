import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createControlPlane } from '../../shared/control-plane/index.ts'
import {
  type ApiClient,
  type ApiClientOptions,
  type ClusterConnection,
  createApiClient,
  loadClusters,
} from '../../shared/kubernetes/index.ts'

export interface ConnectedCluster {
  /** Path of the kubeconfig. */
  readonly file: string
  readonly connection: ClusterConnection
  readonly client: ApiClient
}

/** Kubeconfigs in a temporary folder of their own. */
export interface KubeconfigFolder {
  readonly folder: string
  /** Writes a kubeconfig, and returns its path. */
  write(text: string): Promise<string>
  /** Writes a kubeconfig, and connects to its current context. */
  connect(text: string, options?: ApiClientOptions): Promise<ConnectedCluster>
  /** Closes the clients and removes the folder. */
  close(): Promise<void>
}

export async function openKubeconfigs(): Promise<KubeconfigFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-kubeconfigs-'))
  const clients: ApiClient[] = []
  let files = 0
  const write = async (text: string): Promise<string> => {
    const file = join(folder, `kubeconfig-${++files}`)
    await writeFile(file, text, { mode: 0o600 })
    return file
  }
  return {
    folder,
    write,
    async connect(text, options) {
      const file = await write(text)
      const [connection] = await loadClusters(file)
      if (connection === undefined) throw new Error('the kubeconfig names no cluster')
      const client = createApiClient(connection, options)
      clients.push(client)
      return { file, connection, client }
    },
    async close() {
      for (const client of clients) client.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** Starts an embedded cluster, and connects to it. */
export async function startConnectedCluster({ name, crds }: { name?: string; crds?: boolean } = {}) {
  const plane = await createControlPlane({ apis: { crds } })
  await plane.listen({ context: name })
  const kubeconfigs = await openKubeconfigs()
  return {
    ...(await kubeconfigs.connect(plane.kubeconfig)),
    kubeconfigs,
    plane,
    async stop() {
      await kubeconfigs.close()
      await plane.close()
    },
  }
}
