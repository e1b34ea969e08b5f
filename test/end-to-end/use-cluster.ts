import { afterAll, beforeAll } from 'vitest'
import { openKubeconfigs } from '../support/kubeconfig-folder.ts'
import type { StartCluster } from './cluster.ts'
import type { OpenCluster, SceneCluster } from './scene.ts'

/** Starts a cluster before the tests of a suite, and ends it after them. */
export function useCluster(startCluster: StartCluster): OpenCluster {
  const ends: (() => Promise<unknown>)[] = []
  let cluster: SceneCluster

  beforeAll(async () => {
    const started = await startCluster('e2e')
    ends.push(() => started.stop())
    const kubeconfigs = await openKubeconfigs()
    ends.push(() => kubeconfigs.close())
    const { client, file: adminKubeconfig } = await kubeconfigs.connect(started.admin)
    const { connection, file: kubeconfig } = await kubeconfigs.connect(started.user)
    const { setPodsReadable } = started
    cluster = { name: connection.name, client, connection, kubeconfig, adminKubeconfig, setPodsReadable }
  })
  afterAll(async () => {
    for (const end of ends.reverse()) await end()
  })
  return () => cluster
}
