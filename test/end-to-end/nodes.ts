import { describe, expect, it } from 'vitest'
import { NODES } from '../../shared/kubernetes/index.ts'
import { makeNode } from '../support/world/index.ts'
import { type OpenCluster, openWeb, type Scene, until } from './scene.ts'

const zonesOf = async (scene: Scene): Promise<(string | undefined)[]> =>
  (await scene.slices('web'))
    .flatMap(({ endpoints }) => endpoints ?? [])
    .map(({ zone }) => zone)
    .sort()

export function describeNodes(cluster: OpenCluster): void {
  describe('pods on a node that is gone', () => {
    it('are left out without a retry, and come back with it, also when it comes while Sliceflow is down', async () => {
      const scene = await openWeb(cluster(), 4, { mode: 'custom' })
      const [name] = scene.nodes
      const addNode = (zone: string | null) => scene.client.create(NODES, makeNode({ name, zone }))
      await scene.client.delete(NODES, { name })
      const first = await scene.startRight()
      expect(await zonesOf(scene)).toEqual(['zone-b', 'zone-b'])
      expect(first.log.filter(({ errorClass }) => errorClass !== undefined)).toEqual([])
      await first.stop()

      const second = await scene.start()
      await until(() => second.outcomes.length).toBeGreaterThan(0)
      await addNode(null)
      await scene.untilRight()
      expect(await zonesOf(scene)).toHaveLength(4)

      await scene.client.delete(NODES, { name })
      await until(() => zonesOf(scene)).toHaveLength(2)
      await second.stop()
      await addNode('zone-c')
      await scene.startRight()
      expect(await zonesOf(scene)).toEqual(['zone-b', 'zone-b', 'zone-c', 'zone-c'])
    })
  })
}
