import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiClient, loadClusters } from '../../shared/kubernetes/index.ts'
import { startRealCluster } from '../cluster/end-to-end-cluster.ts'
import { serverOf, withServer } from '../support/kubeconfig.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import type { SubjectKind } from './subject.ts'
import { controllerManagerKind, sliceflowKind } from './subjects.ts'
import type { Surroundings } from './world.ts'

export interface OpenSurroundings {
  readonly surroundings: Surroundings
  /** Kinds in the order of the table. */
  readonly kinds: readonly SubjectKind[]
  close(): Promise<void>
}

/** Opens a real cluster, the proxy through which subjects reach it, and the subjects. */
export async function openSurroundings(): Promise<OpenSurroundings> {
  const folder = await mkdtemp(join(tmpdir(), 'sliceflow-survival-'))
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, text, { mode: 0o600 })
    return path
  }
  const cluster = await startRealCluster('survival')
  const { hostname, port } = serverOf(cluster.admin)
  const network = await startTcpProxy({ target: { hostname, port: Number(port) } })
  const through = (kubeconfig: string): string => withServer(kubeconfig, `https://127.0.0.1:${network.port}`)
  const [connection] = await loadClusters(await file('direct', cluster.admin))
  if (connection === undefined) throw new Error('the kubeconfig names no cluster')
  const client = createApiClient(connection)
  return {
    surroundings: { client, network, server: cluster.server },
    kinds: [
      controllerManagerKind(await file('admin', through(cluster.admin))),
      sliceflowKind({
        kubeconfig: await file('user', through(cluster.user)),
        version: await version(),
        folder,
      }),
    ],
    async close() {
      client.close()
      await network.close()
      await cluster.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** Returns the version of Sliceflow, by its package. */
async function version(): Promise<string> {
  const path = new URL('../../package.json', import.meta.url)
  return JSON.parse(await readFile(path, 'utf8')).version
}
