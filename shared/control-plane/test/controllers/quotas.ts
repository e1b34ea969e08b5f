import { expect, it } from 'vitest'
import type { Json } from '../../../../test/support/raw-client.ts'
import { type ControllersScene, PATIENCE } from './scene.ts'

/** Tests what quotas say about the objects of their namespace. */
export function itKeepsQuotas(scene: ControllersScene): void {
  it('publishes what a quota allows and what is used, and releases what is deleted', async () => {
    await scene.namespace('limited')
    const at = (path: string) => `/api/v1/namespaces/limited/${path}`
    const create = async (name: string): Promise<number> =>
      (await scene.client.post(at('secrets'), { metadata: { name } })).status
    const status = async (): Promise<Json> => (await scene.client.get(at('resourcequotas/quota'))).body.status
    await create('first')
    await scene.client.post(at('resourcequotas'), {
      metadata: { name: 'quota' },
      spec: { hard: { 'count/secrets': '2' } },
    })
    const hard = { 'count/secrets': '2' }
    await expect.poll(status, PATIENCE).toEqual({ hard, used: { 'count/secrets': '1' } })
    await expect.poll(() => create('second'), PATIENCE).toBe(201)
    await expect.poll(status, PATIENCE).toEqual({ hard, used: { 'count/secrets': '2' } })
    expect(await create('third')).toBe(403)
    await scene.client.delete(at('secrets/first'))
    await expect.poll(status, PATIENCE).toEqual({ hard, used: { 'count/secrets': '1' } })
    await scene.client.patch(at('resourcequotas/quota'), { spec: { hard: { 'count/secrets': '3' } } })
    await expect
      .poll(status, PATIENCE)
      .toEqual({ hard: { 'count/secrets': '3' }, used: { 'count/secrets': '1' } })
  })
}
