import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { numbered, type OpenCluster, openScene, openWeb, type Scene, until } from './scene.ts'
import { readEvents } from './service-events.ts'

const withoutSelector = ({ settings }: Scene): unknown =>
  settings.mode === 'replace'
    ? { spec: { selector: null } }
    : { metadata: { annotations: { 'sliceflow.dev/selector': null } } }

/** Returns the Services of the scene that have an Event about a hold. */
async function readHeld(scene: Scene): Promise<string[]> {
  const held = (await readEvents(scene)).filter(({ reason }) => reason === 'PlanHeld')
  return held.map(({ involvedObject }) => involvedObject?.name ?? '').sort()
}

/** Returns what the slices publish, without the notes on them. */
const publishedBy = (slices: readonly EndpointSlice[]): unknown[] =>
  slices.map(({ metadata, endpoints }) => [metadata?.name, endpoints])

export function describeLeftovers(cluster: OpenCluster): void {
  describe('the slices of a whole cluster', () => {
    const NAMES = numbered('web', 6)

    it('stay when Sliceflow starts in the other mode by mistake, and are kept right when it is set back', async () => {
      const scene = await openScene(cluster(), { mode: 'replace' })
      await scene.addPods(numbered('pod', 3), { labels: { app: 'web' } })
      for (const name of NAMES) await scene.addService(name, { selector: { app: 'web' } })
      const right = await scene.startRight()
      await right.stop()
      const before = publishedBy(await scene.slices())

      const mistaken = await scene.start({ mode: 'custom' })
      await until(() => readHeld(scene)).toEqual(NAMES)
      expect(publishedBy(await scene.slices())).toEqual(before)
      await mistaken.stop()

      await scene.pods.finish({ namespace: scene.namespace, name: 'pod-1' })
      await scene.startRight()
    })
  })

  describe('the slices of a Service', () => {
    it('go when it is an ExternalName or loses its selector in custom mode, and are right when it is back', async () => {
      const scene = await openWeb(cluster(), 3, { mode: 'custom', leftovers: 'auto' })
      await scene.startRight()
      await scene.patchService('web', {
        spec: { type: 'ExternalName', externalName: 'example.org', clusterIP: null, clusterIPs: null },
      })
      await until(() => scene.slices()).toEqual([])
      await scene.patchService('web', { spec: { type: 'ClusterIP', externalName: null } })
      await scene.untilRight()

      await scene.patchService('web', withoutSelector(scene))
      await until(() => scene.slices()).toEqual([])
      await scene.pods.finish({ namespace: scene.namespace, name: 'web-1' })
      await scene.patchService('web', scene.selectorPatch({ app: 'web' }))
      await scene.untilRight()
    })

    it('go when it lost its selector while Sliceflow was down', async () => {
      const scene = await openWeb(cluster(), 3, { mode: 'custom', leftovers: 'auto' })
      const first = await scene.startRight()
      await first.stop()
      await scene.patchService('web', withoutSelector(scene))
      await scene.start()
      await until(() => scene.slices()).toEqual([])
    })

    it('stay when it loses its selector in replace mode, and go when it is deleted', async () => {
      const scene = await openWeb(cluster(), 3, { mode: 'replace', leftovers: 'auto' })
      const sliceflow = await scene.startRight()
      const syncs = sliceflow.outcomes.length
      await scene.patchService('web', withoutSelector(scene))
      await until(() => sliceflow.outcomes.length).toBeGreaterThan(syncs)
      expect(await scene.slices()).toHaveLength(1)
      await scene.removeService('web')
      await until(() => scene.slices()).toEqual([])
    })
  })
}
