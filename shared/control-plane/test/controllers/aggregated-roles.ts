import { expect, it } from 'vitest'
import type { Json } from '../../../../test/support/raw-client.ts'
import { type ControllersScene, PATIENCE } from './scene.ts'

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles'

/** Tests cluster roles that are made of others. */
export function itAggregatesRoles(scene: ControllersScene): void {
  it('gives a cluster role the rules of those that it selects, as they come and go', async () => {
    const rule = (resource: string): Json => ({ apiGroups: [''], resources: [resource], verbs: ['get'] })
    const create = (name: string, resource: string) =>
      scene.client.post(ROLES, {
        metadata: { name, labels: { 'example.com/of': 'whole' } },
        rules: [rule(resource)],
      })
    await create('part-1', 'pods')
    await scene.client.post(ROLES, {
      metadata: { name: 'whole' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'example.com/of': 'whole' } }] },
    })
    const rules = async (): Promise<Json> => (await scene.client.get(`${ROLES}/whole`)).body.rules
    await expect.poll(rules, PATIENCE).toEqual([rule('pods')])
    await create('part-2', 'secrets')
    await expect.poll(rules, PATIENCE).toEqual([rule('pods'), rule('secrets')])
    await scene.client.delete(`${ROLES}/part-1`)
    await expect.poll(rules, PATIENCE).toEqual([rule('secrets')])
  })
}
