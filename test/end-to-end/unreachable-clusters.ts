import { describe, it, onTestFinished } from 'vitest'
import type { ClusterConnection } from '../../shared/kubernetes/index.ts'
import { LABEL_ENDPOINTS_CLUSTER } from '../../shared/reconciler/index.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { numbered, type OpenCluster, openScene, type Scene, until } from './scene.ts'
import { readReasons } from './service-events.ts'
import { startSliceflow } from './sliceflow.ts'

/** Counts the endpoints of the Service `web` by the cluster that its slices name. */
async function perCluster(scene: Scene): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { metadata, endpoints } of await scene.slices('web')) {
    const label = metadata?.labels?.[LABEL_ENDPOINTS_CLUSTER] ?? ''
    counts[label] = (counts[label] ?? 0) + (endpoints?.length ?? 0)
  }
  return counts
}

export function describeUnreachableClusters(cluster: OpenCluster): void {
  describe('endpoints in several clusters of which one cannot be reached', () => {
    it('stay, once each, while those of the others go on', async () => {
      const { connection } = cluster()
      const { hostname, port } = connection.server
      const proxy = await startTcpProxy({ target: { hostname, port: Number(port) } })
      onTestFinished(() => proxy.close())
      // The same server under another name, reached by a connection of its own.
      const server = new URL(connection.server)
      server.port = String(proxy.port)
      const far: ClusterConnection = { ...connection, name: 'far', server }
      const scene = await openScene(cluster(), {
        mode: 'custom',
        unreachableCluster: 'keep',
        allowedPods: '*/*=*/.',
      })
      const { cluster: own, namespace } = scene
      await scene.addPods(numbered('web', 3))
      const annotations = { 'sliceflow.dev/selector': 'app=web', 'sliceflow.dev/cluster': `far,${own}` }
      await scene.addService('web', { selector: null, annotations })
      const { log, send } = await startSliceflow([connection, far], scene.settings)
      await until(() => perCluster(scene)).toEqual({ far: 3, [own]: 0 })

      proxy.setOpen(false)
      proxy.cutAll()
      // Sliceflow syncs the Service under the far name, too.
      const failures = (): number =>
        log.filter((line) => line.errorClass !== undefined && line.cluster === own).length
      const before = failures()
      await send('live', [{ cluster: own, namespace, service: 'web' }])
      await until(failures).toBeGreaterThan(before)
      await scene.addPods(['later-1', 'later-2'], { labels: { app: 'web' } })

      await until(() => perCluster(scene)).toEqual({ far: 3, [own]: 2 })
      await until(() => readReasons(scene)).toContain('ClusterUnreachable')
    })
  })
}
