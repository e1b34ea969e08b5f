import { type ApiClient, NAMESPACES } from '../shared/kubernetes/index.ts'
import { startConnectedCluster } from '../test/support/kubeconfig-folder.ts'
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
  const { file, connection, client, stop } = await startConnectedCluster({ crds })
  await client.create(NAMESPACES, { metadata: { name: 'shop' } })
  return {
    kubeconfig: file,
    name: connection.name,
    client,
    async output(command) {
      const written = { stdout: '', stderr: '' }
      await capturing(written, command)
      return written.stdout
    },
    stop,
  }
}
