import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmbeddedQueues } from '../../cli/local/index.ts'
import { openLoad } from './load.ts'
import { type OpenCluster, openScene, type Scene } from './scene.ts'
import { type Sliceflow, startSliceflow } from './sliceflow.ts'

const DELAY_SECONDS = 3

export function describeStandby(cluster: OpenCluster): void {
  describe('a standby', () => {
    /** Opens two Sliceflows on the same queues, one of which is the other's standby. */
    async function openPair(): Promise<{ scene: Scene; active: Sliceflow; standby: Sliceflow }> {
      const scene = await openScene(cluster(), { mode: 'custom', standbyDelay: DELAY_SECONDS })
      const queues = await startEmbeddedQueues(scene.settings)
      onTestFinished(() => queues.stop())
      const start = (relayStandby: boolean): Promise<Sliceflow> =>
        startSliceflow([cluster().connection], { ...scene.settings, relayStandby }, { queues })
      const [active, standby] = [await start(false), await start(true)]
      await Promise.all([active.synced, standby.synced])
      return { scene, active, standby }
    }

    it('sends what the other relay does not send any more, so that everything becomes right', async () => {
      const { scene, active, standby } = await openPair()
      const workload = openLoad(scene, { services: 8, podsPerService: 4, seed: 903 })
      await workload.createAll()
      const changes = workload.change({ rate: 20, seconds: 4 })
      await sleep(1_000)
      active.setQueuesDown(true)
      const sentBefore = active.sent
      await changes

      expect((await workload.settle(45)).differences).toEqual([])
      expect(standby.sent).toBeGreaterThan(0)
      // What was under way then may still have been accepted.
      expect(active.sent - sentBefore).toBeLessThanOrEqual(8)
    })

    it('sends next to nothing while the other one does', async () => {
      const { scene, active, standby } = await openPair()
      const workload = openLoad(scene, { services: 8, podsPerService: 4, seed: 904 })
      await workload.createAll()
      expect((await workload.settle(45)).differences).toEqual([])
      // What was sent twice while a slow machine created the Services is not what is counted.
      await sleep((DELAY_SECONDS + 1) * 1_000)
      const before = { active: active.sent, standby: standby.sent }
      await workload.change({ rate: 20, seconds: 4 })

      expect((await workload.settle(45)).differences).toEqual([])
      await sleep((DELAY_SECONDS + 1) * 1_000)
      expect(active.sent - before.active).toBeGreaterThan(20)
      expect(standby.sent - before.standby).toBeLessThan((active.sent - before.active) / 4)
    })
  })
}
