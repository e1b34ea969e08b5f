import { describe, expect, it } from 'vitest'
import { ANNOTATION_RELEASE } from '../../shared/changes/index.ts'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES, PODS } from '../../shared/kubernetes/index.ts'
import { ANNOTATION_HELD_SINCE, ANNOTATION_REPAIRS } from '../../shared/reconciler/index.ts'
import { snapshotSlices } from '../support/world/index.ts'
import { numbered, type OpenCluster, openScene, type Scene, until } from './scene.ts'
import { readEvents, readReasons } from './service-events.ts'
import { noteLongAgo } from './slice-notes.ts'
import type { Sliceflow } from './sliceflow.ts'

const LONG_AGO = '2001-01-01T00:00:00.000Z'

const readyIn = (slices: readonly EndpointSlice[]): string[] =>
  slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready)
    .flatMap(({ addresses }) => addresses)

const readyOf = async (scene: Scene): Promise<number> => readyIn(await scene.slices('web')).length

async function noteOf(scene: Scene, annotation: string): Promise<string | undefined> {
  const values = (await scene.slices('web')).map(({ metadata }) => metadata?.annotations?.[annotation])
  return values.find((value) => value !== undefined)
}

async function sync({ send, outcomes, log }: Sliceflow, { cluster, namespace }: Scene): Promise<void> {
  const seen = outcomes.length + log.filter(isFailure).length
  await send('live', [{ cluster, namespace, service: 'web' }])
  await until(() => outcomes.length + log.filter(isFailure).length).toBeGreaterThan(seen)
}

const isFailure = ({ errorClass }: Sliceflow['log'][number]): boolean => errorClass !== undefined

/** Opens a scene with six pods, four of which become unready at once. */
async function openHeld(cluster: OpenCluster): Promise<{ scene: Scene; sliceflow: Sliceflow }> {
  const scene = await openScene(cluster(), { mode: 'custom', maximumRemoval: 0.5, coalescingWindow: 0.2 })
  await scene.addPods(numbered('web', 6))
  await scene.addService('web')
  const sliceflow = await scene.start()
  await scene.untilRight()
  await sliceflow.stop()
  for (const name of numbered('web', 4))
    await scene.pods.setReady({ namespace: scene.namespace, name }, false)
  const again = await scene.start()
  await until(() => noteOf(scene, ANNOTATION_HELD_SINCE)).toBeDefined()
  return { scene, sliceflow: again }
}

export function describeGuards(cluster: OpenCluster): void {
  describe('two Sliceflows with other settings', () => {
    it('stop rewriting each other’s slices, and say so; a real change of the pods never waits', async () => {
      const scene = await openScene(cluster(), { mode: 'custom', coalescingWindow: 0.05 })
      await scene.addPods(numbered('web', 2))
      await scene.addService('web')
      const [pod] = await scene.client.list(PODS, { namespace: scene.namespace }).then(({ items }) => items)
      const refused = `${pod?.status?.podIP}/32`
      const one = await scene.start({ refusedAddresses: refused })
      const other = await scene.start()
      await until(() => readReasons(scene)).toContain('SliceFight')
      const writes = (await scene.slices('web')).reduce(
        (sum, { metadata }) => sum + (metadata?.generation ?? 0),
        0,
      )
      expect(writes).toBeLessThan(30)
      const failed = [...one.log, ...other.log].filter(isFailure)
      expect(JSON.stringify(failed)).toContain('another Sliceflow (writer ')

      await scene.addPods(['more'], { labels: { app: 'web' } })
      await until(() => readyOf(scene)).toBeGreaterThan(1)
    })
  })

  describe('a plan that takes away more ready endpoints than maximumRemoval allows', () => {
    it('is held and reported, and its note calls for no further look', async () => {
      const { scene, sliceflow } = await openHeld(cluster)

      expect(await readyOf(scene)).toBe(6)
      await until(() => readReasons(scene)).toEqual(['PlanHeld'])
      await until(() => sliceflow.outcomes).toHaveLength(1)
      const noted = snapshotSlices(await scene.slices())
      const changes = sliceflow.changes.length
      await sync(sliceflow, scene)

      expect(snapshotSlices(await scene.slices())).toEqual(noted)
      expect(sliceflow.changes).toHaveLength(changes)
      expect(sliceflow.outcomes.at(-1)).toMatchObject({ guarded: { acted: { held: 1 } }, updated: 0 })
    })

    it('is applied when it is released by the name of its hold', async () => {
      const { scene } = await openHeld(cluster)
      const since = await noteOf(scene, ANNOTATION_HELD_SINCE)

      await scene.patchService('web', { metadata: { annotations: { [ANNOTATION_RELEASE]: since } } })

      await scene.untilRight()
      expect(await readyOf(scene)).toBe(2)
      await until(() => noteOf(scene, ANNOTATION_HELD_SINCE)).toBeUndefined()
    })

    it('is applied when it was held for long enough', async () => {
      const { scene, sliceflow } = await openHeld(cluster)
      await noteLongAgo(scene, ANNOTATION_HELD_SINCE)

      await sync(sliceflow, scene)

      await scene.untilRight()
      expect(await readyOf(scene)).toBe(2)
    })

    it('is not applied because somebody says that it was held for long', async () => {
      const { scene, sliceflow } = await openHeld(cluster)
      const [slice] = await scene.slices('web')
      const annotations = { [ANNOTATION_HELD_SINCE]: LONG_AGO }
      await scene.editSlice(slice?.metadata?.name ?? '', { metadata: { annotations } })

      await sync(sliceflow, scene)

      expect(await readyOf(scene)).toBe(6)
      expect(await noteOf(scene, ANNOTATION_HELD_SINCE)).not.toBe(LONG_AGO)
    })

    it('is forgotten when the endpoints come back', async () => {
      const { scene } = await openHeld(cluster)

      for (const name of numbered('web', 3))
        await scene.pods.setReady({ namespace: scene.namespace, name }, true)

      await scene.untilRight()
      expect(await readyOf(scene)).toBe(5)
      await until(() => noteOf(scene, ANNOTATION_HELD_SINCE)).toBeUndefined()
    })

    it('is none where a Service of two pods is scaled to zero, or deleted', async () => {
      const scene = await openScene(cluster(), { mode: 'custom', maximumRemoval: 0.5 })
      await scene.addPods(numbered('web', 2))
      await scene.addPods(numbered('api', 6), { labels: { app: 'api' } })
      await scene.addService('web')
      await scene.addService('api')
      await scene.start()
      await scene.untilRight()

      for (const name of numbered('web', 2)) await scene.pods.finish({ namespace: scene.namespace, name })
      await scene.removeService('api')

      await scene.untilRight()
      expect(await readyOf(scene)).toBe(0)
      await until(() => scene.slices('api')).toEqual([])
    })
  })

  describe('a plan with more writes than maximumWrites', () => {
    it('is written in parts, and completely', async () => {
      const scene = await openScene(cluster(), { maxEndpointsPerSlice: 2, maximumWrites: 2 })
      await scene.addPods(numbered('web', 20))
      await scene.addService('web')
      const sliceflow = await scene.start()

      await scene.untilRight()

      expect(await scene.slices('web')).toHaveLength(10)
      await until(() => sliceflow.outcomes.map(({ created }) => created)).toContain(10)
    })

    it('comes to an end one write at a time when every pod is gone', async () => {
      const scene = await openScene(cluster(), { maxEndpointsPerSlice: 2, maximumWrites: 1 })
      const pods = numbered('web', 8)
      await scene.addPods(pods)
      await scene.addService('web')
      await scene.start()
      await scene.untilRight()

      for (const name of pods) await scene.pods.finish({ namespace: scene.namespace, name })

      await scene.untilRight()
      expect(await scene.slices('web')).toHaveLength(1)
    })
  })

  describe('a pod with an address that is refused', () => {
    it('is left out and reported, and holds up no other', async () => {
      const scene = await openScene(cluster(), { mode: 'custom', refusedAddresses: '10.1.0.1/32' })
      await scene.addPods(numbered('web', 3))
      await scene.addService('web')
      await scene.start()

      await until(() => readyOf(scene)).toBe(2)
      expect(readyIn(await scene.slices('web')).sort()).toEqual(['10.1.0.0', '10.1.0.2'])
      await until(() => readEvents(scene)).toMatchObject([
        { reason: 'RefusedAddress', message: expect.stringContaining('10.1.0.1 is in 10.1.0.1/32') },
      ])
    })
  })

  describe('somebody who undoes every repair of a slice', () => {
    it('is named, and the slice is left alone until there was peace', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      await scene.addPods(numbered('web', 2))
      await scene.addService('web')
      const sliceflow = await scene.start()
      await scene.untilRight()
      const [slice] = await scene.slices('web')
      const name = slice?.metadata?.name ?? ''
      const endpoints = [{ addresses: ['10.66.6.6'], conditions: { ready: true } }]

      while (!(await readReasons(scene)).includes('SliceFight')) {
        await scene.editSlice(name, { endpoints })
        await Promise.race([
          until(() => readyOf(scene)).toBe(2),
          until(() => readReasons(scene)).toContain('SliceFight'),
        ])
      }

      expect(await noteOf(scene, ANNOTATION_REPAIRS)).toMatch(/^5 /)
      await sync(sliceflow, scene)
      expect(readyIn(await scene.slices('web'))).toEqual(['10.66.6.6'])

      const { namespace } = scene
      await scene.pods.setReady({ namespace, name: 'web-1' }, false)
      await scene.untilRight()
      expect(await noteOf(scene, ANNOTATION_REPAIRS)).toMatch(/^5 /)

      const annotations = { [ANNOTATION_REPAIRS]: `5 ${LONG_AGO}` }
      await scene.editSlice(name, { endpoints, metadata: { annotations } })
      await scene.untilRight()
      expect(await noteOf(scene, ANNOTATION_REPAIRS)).toMatch(/^1 /)
    })

    it('is left alone when he deletes the slices again and again', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      await scene.addPods(numbered('web', 2))
      await scene.addService('web')
      await scene.start()
      let deletions = 0

      while (!(await readReasons(scene)).includes('SliceFight')) {
        const slices = await scene.slices('web')
        for (const { metadata: { name = '' } = {} } of slices) {
          await scene.client.delete(ENDPOINT_SLICES, { namespace: scene.namespace, name })
          deletions++
        }
        if (slices.length === 0) await new Promise((resolve) => setImmediate(resolve))
      }

      expect(deletions).toBe(5)
      expect(await scene.slices('web')).toEqual([])
    })

    it('is not we, when a Service ceases to be ours again and again', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      await scene.addPods(numbered('web', 2))
      await scene.addService('web')
      await scene.start()

      for (let times = 0; times < 7; times++) {
        await scene.untilRight()
        await scene.patchService('web', { metadata: { annotations: { 'sliceflow.dev/selector': null } } })
        await until(() => scene.slices('web')).toEqual([])
        await scene.patchService('web', scene.selectorPatch({ app: 'web' }))
      }

      await scene.untilRight()
      expect(await readReasons(scene)).not.toContain('SliceFight')
    })
  })
}
