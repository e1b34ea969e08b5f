import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { numbered, type OpenCluster, openScene, type Scene, until } from './scene.ts'
import { readEvents } from './service-events.ts'

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
}
