import { describe, expect, it, onTestFinished } from 'vitest'
import { type Queues, startEmbeddedQueues } from '../../cli/local/index.ts'
import { openLoad } from './load.ts'
import { type OpenCluster, openScene, until } from './scene.ts'
import { type Sliceflow, startSliceflow } from './sliceflow.ts'

const DELAY_SECONDS = 2
/** Words by which one says that another manager undoes what it writes. */
const ACCUSATION = /keeps undoing|another controller|another Sliceflow/

/** Two regions: each has queues, functions and a relay of its own, and the second stands by. */
export function describeStandbyRegion(cluster: OpenCluster): void {
  describe('a standby in another region', () => {
    it('loses no key while queues, functions and then the relay of the first one are lost, and until it is back', async () => {
      const scene = await openScene(cluster(), { mode: 'custom', standbyDelay: DELAY_SECONDS })
      const startFirst = (queues: Queues): Promise<Sliceflow> =>
        startSliceflow([cluster().connection], scene.settings, { queues })
      const queues = await startEmbeddedQueues(scene.settings)
      onTestFinished(() => queues.stop())
      const first = await startFirst(queues)
      const second = await startSliceflow([cluster().connection], { ...scene.settings, relayStandby: true })
      await Promise.all([first.synced, second.synced])
      const workload = openLoad(scene, { services: 6, podsPerService: 4, seed: 911 })
      await workload.createAll()
      expect((await workload.settle(45)).differences).toEqual([])
      const idle = second.sent

      // Its queues, and with them its functions; later its relay.
      first.setQueuesDown(true)
      const changes = workload.change({ rate: 15, seconds: 3 })
      await until(() => second.sent).toBeGreaterThan(idle)
      await first.stop()
      await changes
      expect((await workload.settle(60)).differences).toEqual([])

      // It returns with what was left in its queues, while changes go on.
      const back = await startFirst(queues)
      await back.synced
      await workload.change({ rate: 15, seconds: 1 })
      await until(() => back.sent).toBeGreaterThan(0)
      expect((await workload.settle(45)).differences).toEqual([])
      // Neither takes the other for another manager.
      for (const { log } of [first, second, back])
        expect(log.filter(({ msg, err }) => ACCUSATION.test(`${msg} ${JSON.stringify(err)}`))).toEqual([])
    })
  })
}
