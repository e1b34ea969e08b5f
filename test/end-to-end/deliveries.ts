import { describe, expect, it } from 'vitest'
import { openLoad } from './load.ts'
import { type OpenCluster, openScene, until } from './scene.ts'

export function describeDeliveries(cluster: OpenCluster): void {
  describe('the queue', () => {
    it('may be down for a while: no change that was made meanwhile is lost', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      const workload = openLoad(scene, { services: 8, podsPerService: 3, seed: 901 })
      const sliceflow = await scene.start()
      await workload.createAll()
      expect((await workload.settle(45)).differences).toEqual([])

      sliceflow.setQueuesDown(true)
      await workload.change({ rate: 50, seconds: 1 })
      await until(() => sliceflow.log.map(({ err }) => err)).toContain('the queue is down')
      expect(await workload.differences()).not.toEqual([])
      sliceflow.setQueuesDown(false)

      expect((await workload.settle(45)).differences).toEqual([])
    })
  })
}
