import { readFile } from 'node:fs/promises'
import { startRealCluster } from '../cluster/end-to-end-cluster.ts'
import { serverOf, withServer } from '../support/kubeconfig.ts'
import { openKubeconfigs } from '../support/kubeconfig-folder.ts'
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
  const kubeconfigs = await openKubeconfigs()
  const { folder } = kubeconfigs
  const cluster = await startRealCluster('survival')
  const { hostname, port } = serverOf(cluster.admin)
  const network = await startTcpProxy({ target: { hostname, port: Number(port) } })
  const through = (kubeconfig: string): string => withServer(kubeconfig, `https://127.0.0.1:${network.port}`)
  const { client } = await kubeconfigs.connect(cluster.admin)
  return {
    surroundings: { client, network, server: cluster.server },
    kinds: [
      controllerManagerKind(await kubeconfigs.write(through(cluster.admin))),
      sliceflowKind({
        kubeconfig: await kubeconfigs.write(through(cluster.user)),
        version: await version(),
        folder,
      }),
    ],
    async close() {
      await network.close()
      await cluster.stop()
      await kubeconfigs.close()
    },
  }
}

/** Returns the version of Sliceflow, by its package. */
async function version(): Promise<string> {
  const path = new URL('../../package.json', import.meta.url)
  return JSON.parse(await readFile(path, 'utf8')).version
}
