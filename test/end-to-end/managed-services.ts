import { describe, expect, it } from 'vitest'
import { numbered, type OpenCluster, openScene } from './scene.ts'

export function describeManagedServices(cluster: OpenCluster): void {
  describe('in custom mode', () => {
    it('gives slices to a Service with the annotation, and none to others', async () => {
      const scene = await openScene(cluster(), { mode: 'custom' })
      const sliceflow = await scene.start()
      await scene.addPods(numbered('web', 3))
      await scene.addService('plain', { selector: null })
      await scene.addService('selecting', {
        selector: null,
        annotations: { 'sliceflow.dev/selector': 'app=web' },
        spec: { selector: { app: 'web' } },
      })
      await scene.addService('web')

      await scene.untilRight()

      expect(await scene.slices('web')).toHaveLength(1)
      expect(await scene.slices()).toHaveLength(1)
      expect(sliceflow.changes.map(({ service }) => service)).not.toContain('plain')
    })
  })
}
