import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type ClusterConnection, createApiClient, loadClusters } from '../../shared/kubernetes/index.ts'
import type { StartCluster } from './cluster.ts'
import type { OpenCluster, SceneCluster } from './scene.ts'

/** Starts a cluster before the tests of a suite, and ends it after them. */
export function useCluster(startCluster: StartCluster): OpenCluster {
  const ends: (() => Promise<unknown>)[] = []
  let cluster: SceneCluster

  beforeAll(async () => {
    const started = await startCluster('e2e')
    ends.push(() => started.stop())
    const folder = await mkdtemp(join(tmpdir(), 'sliceflow-end-to-end-'))
    ends.push(() => rm(folder, { recursive: true }))
    const connect = async (file: string, kubeconfig: string): Promise<ClusterConnection> => {
      const path = join(folder, file)
      await writeFile(path, kubeconfig, { mode: 0o600 })
      const [connection] = await loadClusters(path)
      if (connection === undefined) throw new Error(`${path} names no cluster`)
      return connection
    }
    const client = createApiClient(await connect('admin', started.admin))
    ends.push(async () => client.close())
    const connection = await connect('user', started.user)
    const { setPodsReadable } = started
    cluster = {
      name: connection.name,
      client,
      connection,
      kubeconfig: join(folder, 'user'),
      setPodsReadable,
    }
  })
  afterAll(async () => {
    for (const end of ends.reverse()) await end()
  })
  return () => cluster
}
