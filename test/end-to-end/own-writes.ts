import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { numbered, type OpenCluster, openScene, type Scene, until } from './scene.ts'
import type { Sliceflow } from './sliceflow.ts'

/** The Service whose slices are edited to see how far the relay is. */
const MARKER = 'marker'

/**
 * Resolves when the relay has seen every slice written before this call: it gets slices in their order, so
 * once it has seen an edit of this other slice, nothing earlier is on its way.
 */
async function relayHasSeenAll(scene: Scene, { changes }: Sliceflow): Promise<void> {
  const marks = (): number => changes.filter(({ service }) => service === MARKER).length
  const before = marks()
  const [slice] = await scene.slices(MARKER)
  await scene.editSlice(slice?.metadata?.name ?? '', { metadata: { labels: { mark: String(before) } } })
  await until(marks).toBeGreaterThan(before)
}

async function openCounted(cluster: OpenCluster): Promise<{ scene: Scene; sliceflow: Sliceflow }> {
  const scene = await openScene(cluster(), { mode: 'custom', maxEndpointsPerSlice: 2 })
  await scene.addPods(numbered('web', 5))
  await scene.addPods(['web-6'], { labels: { app: 'web', track: 'canary' } })
  await scene.addService(MARKER, { selector: { app: 'web' } })
  await scene.addService('web')
  const sliceflow = await scene.startRight()
  await relayHasSeenAll(scene, sliceflow)
  return { scene, sliceflow }
}

/**
 * Longer than the relay takes to verify what was written: until then a change that is under way looks to it
 * like a mistake.
 */
const VERIFIED_MS = 300

/** Returns the keys that the relay made of everything that this brought about Service `web`. */
async function keysOf(
  { scene, sliceflow }: { scene: Scene; sliceflow: Sliceflow },
  act: () => Promise<unknown>,
): Promise<number> {
  await sleep(VERIFIED_MS)
  const before = sliceflow.changes.length
  await act()
  await scene.untilRight()
  await relayHasSeenAll(scene, sliceflow)
  return sliceflow.changes.slice(before).filter(({ service }) => service === 'web').length
}

export function describeOwnWrites(cluster: OpenCluster): void {
  describe('a write of our own', () => {
    it('calls for no further sync when slices are made, changed or deleted by us', async () => {
      const counted = await openCounted(cluster)
      const { patchService, selectorPatch, removeService, addService, slices, pods, namespace } =
        counted.scene
      expect(await slices('web')).toHaveLength(3)

      const ports = [{ name: 'http', port: 80, targetPort: 9000 }]
      expect(await keysOf(counted, () => patchService('web', { spec: { ports } }))).toBe(1)
      expect(await keysOf(counted, () => pods.setReady({ namespace, name: 'web-1' }, false))).toBe(1)
      const narrow = selectorPatch({ app: 'web', track: 'canary' })
      expect(await keysOf(counted, () => patchService('web', narrow))).toBe(1)
      expect(await slices('web')).toHaveLength(1)
      expect(await keysOf(counted, () => removeService('web'))).toBe(1)
      expect(await slices('web')).toEqual([])
      expect(await keysOf(counted, () => addService('web'))).toBe(1)
      expect(await slices('web')).toHaveLength(3)
    })
  })
}
