import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ClusterConnection } from '../../shared/kubernetes/index.ts'
import { snapshotSlices } from '../support/world/index.ts'
import { numbered, type OpenCluster, openScene, openWeb, until } from './scene.ts'
import { startSliceflow } from './sliceflow.ts'

export function describeFailures(cluster: OpenCluster): void {
  describe('a read that fails', () => {
    it('leaves the slices as they are until it succeeds again', async () => {
      const { setPodsReadable } = cluster()
      const scene = await openWeb(cluster(), 3, { mode: 'custom' })
      const sliceflow = await scene.startRight()
      const before = snapshotSlices(await scene.slices())
      onTestFinished(() => setPodsReadable(true))
      await setPodsReadable(false)

      await scene.patchService('web', scene.selectorPatch({ app: 'web', track: 'canary' }))
      await until(() => sliceflow.log.map(({ err }) => String(err)).join('\n')).toContain(
        'cannot list resource "pods"',
      )

      expect(snapshotSlices(await scene.slices())).toEqual(before)
      await setPodsReadable(true)
      await scene.untilRight()
    })
  })

  describe('a cluster that cannot be reached', () => {
    it('holds up no other cluster when it never answers', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      const { connection } = cluster()
      const unreachable: ClusterConnection = {
        ...connection,
        name: 'far',
        server: new URL(await silentServer()),
      }
      const sliceflow = await startSliceflow([unreachable, connection], scene.settings)
      const keys = numbered('lost', 20).map((service) => ({ cluster: 'far', namespace: 'shop', service }))
      await sliceflow.send('live', keys)

      await scene.addPods(numbered('web', 3))
      await scene.addService('web')
      await scene.untilRight()
      await scene.pods.finish({ namespace: scene.namespace, name: 'web-1' })
      await scene.untilRight()
    })
  })
}

/** Takes connections and says nothing. */
async function silentServer(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}
