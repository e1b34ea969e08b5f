import { describe, it, onTestFinished } from 'vitest'
import type { ClusterConnection } from '../../shared/kubernetes/index.ts'
import { LABEL_ENDPOINTS_CLUSTER } from '../../shared/reconciler/index.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { numbered, type OpenCluster, openScene, type Scene, until } from './scene.ts'
import { readReasons } from './service-events.ts'
import { type Sliceflow, startSliceflow } from './sliceflow.ts'

interface FarScene {
  readonly scene: Scene
  readonly sliceflow: Sliceflow
  /** The way to the cluster that the pods are in. */
  readonly proxy: TcpProxy
  /** Makes that cluster unreachable, and waits for a sync that failed. */
  cutOff(): Promise<void>
  published(): Promise<number>
}

/**
 * Opens a scene whose Service `web` has three pods in the same server under another name, reached by a
 * connection of its own.
 */
async function openFar(
  cluster: OpenCluster,
  unreachableCluster: string,
  clustersOf: (own: string) => string = () => 'far',
): Promise<FarScene> {
  const { connection } = cluster()
  const proxy = await startTcpProxy({
    target: { hostname: connection.server.hostname, port: Number(connection.server.port) },
  })
  onTestFinished(() => proxy.close())
  const server = new URL(connection.server)
  server.port = String(proxy.port)
  const far: ClusterConnection = { ...connection, name: 'far', server }
  const scene = await openScene(cluster(), {
    mode: 'custom',
    unreachableCluster,
    allowedPods: '*/*=*/.',
  })
  await scene.addPods(numbered('web', 3))
  const annotations = {
    'sliceflow.dev/selector': 'app=web',
    'sliceflow.dev/cluster': clustersOf(scene.cluster),
  }
  await scene.addService('web', { selector: null, annotations })
  const sliceflow = await startSliceflow([connection, far], scene.settings)
  const published = async (): Promise<number> =>
    (await scene.slices('web')).reduce((sum, { endpoints }) => sum + (endpoints?.length ?? 0), 0)
  await until(published).toBe(3)
  // The far name is of the same server, so Sliceflow syncs the Service under that name, too.
  const failures = (): number =>
    sliceflow.log.filter((line) => line.errorClass !== undefined && line.cluster === scene.cluster).length
  return {
    scene,
    sliceflow,
    proxy,
    published,
    async cutOff() {
      proxy.setOpen(false)
      proxy.cutAll()
      const before = failures()
      await sliceflow.send('live', [{ cluster: scene.cluster, namespace: scene.namespace, service: 'web' }])
      await until(failures).toBeGreaterThan(before)
    },
  }
}

export function describeUnreachableClusters(cluster: OpenCluster): void {
  describe('endpoints in a cluster that cannot be reached', () => {
    it('are taken away with the policy drop, and come back', async () => {
      const { scene, proxy, cutOff, published, sliceflow } = await openFar(cluster, 'drop')

      await cutOff()
      await until(published).toBe(0)
      await until(() => readReasons(scene)).toEqual(['ClusterUnreachable'])

      proxy.setOpen(true)
      await sliceflow.send('live', [{ cluster: scene.cluster, namespace: scene.namespace, service: 'web' }])
      await until(published).toBe(3)
    })
  })

  describe('endpoints in several clusters of which one cannot be reached', () => {
    const perCluster = async (scene: Scene): Promise<Record<string, number>> => {
      const counts: Record<string, number> = {}
      for (const { metadata, endpoints } of await scene.slices('web')) {
        const label = metadata?.labels?.[LABEL_ENDPOINTS_CLUSTER] ?? ''
        counts[label] = (counts[label] ?? 0) + (endpoints?.length ?? 0)
      }
      return counts
    }

    it('stay, once each, while those of the others go on', async () => {
      const { scene, cutOff } = await openFar(cluster, 'keep', (own) => `far,${own}`)
      await until(() => perCluster(scene)).toEqual({ far: 3, [scene.cluster]: 0 })

      await cutOff()
      await scene.addPods(['later-1', 'later-2'], { labels: { app: 'web' } })

      await until(() => perCluster(scene)).toEqual({ far: 3, [scene.cluster]: 2 })
      await until(() => readReasons(scene)).toContain('ClusterUnreachable')
    })
  })
}
