import { describe, expect, it } from 'vitest'
import { numbered, type OpenCluster, openScene, openWeb } from './scene.ts'

/** Several pages of a list, and ten slices. */
const MANY_PODS = 1_000

export function describeSizes(cluster: OpenCluster): void {
  describe('slices', () => {
    it.each([1, 3, 1000])('hold at most %i endpoints where that is the maximum', async (maximum) => {
      const scene = await openWeb(cluster(), 7, { mode: 'custom', maxEndpointsPerSlice: maximum })
      await scene.startRight()
      await scene.addPods(['web-8'])
      await scene.untilRight()

      expect(await scene.slices()).toHaveLength(Math.ceil(8 / maximum))
    })

    it(`of a Service with ${MANY_PODS} pods are full, and follow a change`, async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      await scene.addPods(numbered('web', MANY_PODS))
      await scene.addService('web')
      await scene.start()
      await scene.untilRight(120_000)
      expect(await scene.slices()).toHaveLength(MANY_PODS / 100)

      await scene.pods.finish({ namespace: scene.namespace, name: 'web-500' })

      await scene.untilRight(120_000)
    })
  })
}
