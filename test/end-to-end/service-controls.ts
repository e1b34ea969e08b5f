import { describe, expect, it } from 'vitest'
import { ANNOTATION_PAUSED } from '../../shared/changes/index.ts'
import { snapshotSlices } from '../support/world/index.ts'
import { numbered, type OpenCluster, openWeb, type Scene, until } from './scene.ts'
import { readEvents, readReasons } from './service-events.ts'

const annotate = ({ patchService }: Scene, annotations: Readonly<Record<string, string | null>>) =>
  patchService('web', { metadata: { annotations } })

export function describeServiceControls(cluster: OpenCluster): void {
  describe('a Service that is controlled by its annotations', () => {
    it('stays as it is while it is paused, and is right once it is not', async () => {
      const scene = await openWeb(cluster(), 3, { mode: 'custom' })
      const sliceflow = await scene.startRight()
      await annotate(scene, { [ANNOTATION_PAUSED]: 'true' })
      await until(() => readReasons(scene)).toEqual(['Paused'])
      const [event] = await readEvents(scene)
      // By managedFields, which every API server keeps.
      expect(event?.message).toMatch(/^it is paused since 2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ: /)
      const before = snapshotSlices(await scene.slices())
      for (const name of numbered('web', 3))
        await scene.pods.setReady({ namespace: scene.namespace, name }, false)
      const seen = sliceflow.outcomes.length
      await sliceflow.send('live', [{ cluster: scene.cluster, namespace: scene.namespace, service: 'web' }])
      await until(() => sliceflow.outcomes.length).toBeGreaterThan(seen)
      expect(sliceflow.outcomes.at(-1)).toMatchObject({ updated: 0, guarded: { acted: { paused: 1 } } })
      expect(snapshotSlices(await scene.slices())).toEqual(before)

      await annotate(scene, { [ANNOTATION_PAUSED]: null })
      await scene.untilRight()
      expect(snapshotSlices(await scene.slices())).not.toEqual(before)
    })
  })
}
