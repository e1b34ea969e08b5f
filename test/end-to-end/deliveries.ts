import { describe, expect, it } from 'vitest'
import type { ServiceKey } from '../../shared/changes/index.ts'
import { openLoad } from './load.ts'
import { numbered, type OpenCluster, openScene, type Scene, until } from './scene.ts'

const MALFORMED = ['not JSON', '{"v":1,"cluster":"e2e"}', '{"v":0}', '[]', '""']

const keyOf = ({ cluster, namespace }: Scene, service: string): ServiceKey => ({
  cluster,
  namespace,
  service,
})

export function describeDeliveries(cluster: OpenCluster): void {
  describe('the queue', () => {
    it('may bring what is no key, once, and keys of what does not exist: the others go on', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      const sliceflow = await scene.start()

      for (const text of MALFORMED) await sliceflow.sendText(text)
      await sliceflow.send('live', [
        { cluster: 'unheard-of', namespace: scene.namespace, service: 'web' },
        { cluster: scene.cluster, namespace: 'unheard-of', service: 'web' },
        keyOf(scene, 'unheard-of'),
      ])
      await scene.addPods(numbered('web', 2))
      await scene.addService('web')
      await scene.untilRight()

      await until(() => sliceflow.deadLetters()).toBe(MALFORMED.length)
      const errors = Map.groupBy(
        sliceflow.log.filter(({ level }) => level === 'error'),
        ({ msg }) => msg === 'moved a malformed message to the dead-letter queue',
      )
      expect(errors.get(true)).toEqual(
        MALFORMED.map(() => expect.objectContaining({ reason: expect.any(String) })),
      )
      expect(errors.get(false)).toMatchObject([
        { err: expect.stringContaining('unheard-of'), errorClass: 'UnknownClusterError' },
      ])
    })

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
