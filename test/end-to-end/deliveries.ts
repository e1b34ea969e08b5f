import { describe, expect, it } from 'vitest'
import type { ServiceKey } from '../../shared/changes/index.ts'
import { createRandom } from '../support/random.ts'
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
    it('may deliver keys again and again in any order: the slices are right all the same', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      const names = numbered('web', 6)
      for (const name of names) {
        await scene.addService(name)
        await scene.addPods(numbered(`${name}-pod`, 2), { labels: { app: name } })
      }
      const sliceflow = await scene.start()
      const random = createRandom(7)
      const keys = numbered('again', 20).flatMap(() => names.map((name) => keyOf(scene, name)))
      const shuffled = keys.toSorted(() => random.fraction() - 0.5)

      const sent = Promise.all([sliceflow.send('live', shuffled), sliceflow.send('sweep', keys)])
      for (const name of names) {
        await scene.pods.setReady({ namespace: scene.namespace, name: `${name}-pod-1` }, false)
        await scene.pods.finish({ namespace: scene.namespace, name: `${name}-pod-2` })
      }
      await sent
      await scene.untilRight()
      const syncs = sliceflow.outcomes.length
      await sliceflow.send('live', [keyOf(scene, 'last')])
      await until(() => sliceflow.outcomes.slice(syncs).map(({ key }) => key.service)).toContain('last')

      expect(await scene.differences()).toEqual([])
    })

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
