import { describe, expect, it } from 'vitest'
import { ANNOTATION_RELEASE } from '../../shared/changes/index.ts'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { ANNOTATION_HELD_SINCE, ANNOTATION_REPAIRS } from '../../shared/reconciler/index.ts'
import { snapshotSlices } from '../support/world/index.ts'
import { numbered, type OpenCluster, openWeb, type Scene, until } from './scene.ts'
import { readReasons } from './service-events.ts'
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

export function describeGuards(cluster: OpenCluster): void {
  describe('a plan that takes away more ready endpoints than maximumRemoval allows', () => {
    it('is held and reported, its note calls for no further sync, and it is applied when it is released', async () => {
      const scene = await openWeb(cluster(), 6, {
        mode: 'custom',
        maximumRemoval: 0.5,
        coalescingWindow: 0.2,
      })
      const first = await scene.startRight()
      await first.stop()
      for (const name of numbered('web', 4))
        await scene.pods.setReady({ namespace: scene.namespace, name }, false)
      const sliceflow = await scene.start()
      await until(() => noteOf(scene, ANNOTATION_HELD_SINCE)).toBeDefined()

      expect(await readyOf(scene)).toBe(6)
      await until(() => readReasons(scene)).toEqual(['PlanHeld'])
      await until(() => sliceflow.outcomes).toHaveLength(1)
      const noted = snapshotSlices(await scene.slices())
      const changes = sliceflow.changes.length
      await sync(sliceflow, scene)

      expect(snapshotSlices(await scene.slices())).toEqual(noted)
      expect(sliceflow.changes).toHaveLength(changes)
      expect(sliceflow.outcomes.at(-1)).toMatchObject({ guarded: { acted: { held: 1 } }, updated: 0 })

      const since = await noteOf(scene, ANNOTATION_HELD_SINCE)
      await scene.patchService('web', { metadata: { annotations: { [ANNOTATION_RELEASE]: since } } })
      await scene.untilRight()
      expect(await readyOf(scene)).toBe(2)
      await until(() => noteOf(scene, ANNOTATION_HELD_SINCE)).toBeUndefined()
    })
  })

  describe('somebody who undoes every repair of a slice', () => {
    it('is named, and the slice is left alone until there was peace', async () => {
      const scene = await openWeb(cluster(), 2, { mode: 'custom' })
      const sliceflow = await scene.startRight()
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
  })
}
