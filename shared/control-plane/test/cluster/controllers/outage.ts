import { expect, it } from 'vitest'
import { type ControllersScene, PATIENCE } from '../../controllers/scene.ts'
import type { RestartableScene } from './scene.ts'

/** Tests what controllers do after the server was away and they were not. */
export function itGoesOn(scene: ControllersScene, running: () => RestartableScene): void {
  it('goes on where it was when the server has ended and started again', async () => {
    await running().restart()
    const { uid } = await scene.namespace('resumed').then(({ metadata }) => metadata)
    const at = (path: string) => `/api/v1/namespaces/resumed/${path}`
    await expect
      .poll(async () => (await scene.client.get(at('serviceaccounts/default'))).status, PATIENCE)
      .toBe(200)
    const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'resumed', uid: `not-${uid}` }
    await scene.client.post(at('configmaps'), { metadata: { name: 'child', ownerReferences: [owner] } })
    await expect.poll(async () => (await scene.client.get(at('configmaps/child'))).status, PATIENCE).toBe(404)
    await scene.client.delete('/api/v1/namespaces/resumed')
    await expect
      .poll(async () => (await scene.client.get('/api/v1/namespaces/resumed')).status, PATIENCE)
      .toBe(404)
  })
}
