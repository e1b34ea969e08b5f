import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createControlPlane } from '../../shared/control-plane/index.ts'
import { type ApiClient, createApiClient, loadClusters, NAMESPACES } from '../../shared/kubernetes/index.ts'
import { capturing } from './program.fixtures.ts'

/** An embedded cluster with namespace `shop`, for commands that take a kubeconfig. */
export interface CommandCluster {
  readonly kubeconfig: string
  /** The name of its context. */
  readonly name: string
  readonly client: ApiClient
  /** Runs a command and returns what it wrote to standard output. */
  output(command: () => Promise<unknown>): Promise<string>
  stop(): Promise<void>
}

/** @param options `crds`: whether it serves CustomResourceDefinitions; default: no */
export async function startCommandCluster({ crds = false } = {}): Promise<CommandCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-command-'))
  const controlPlane = await createControlPlane({ crds })
  await controlPlane.listen()
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, controlPlane.kubeconfig, { mode: 0o600 })
  const [connection] = await loadClusters(kubeconfig)
  if (connection === undefined) throw new Error('the control plane’s kubeconfig names no cluster')
  const client = createApiClient(connection)
  await client.create(NAMESPACES, { metadata: { name: 'shop' } })
  return {
    kubeconfig,
    name: connection.name,
    client,
    async output(command) {
      const written = { stdout: '', stderr: '' }
      await capturing(written, command)
      return written.stdout
    },
    async stop() {
      client.close()
      await controlPlane.close()
      await rm(folder, { recursive: true })
    },
  }
}
