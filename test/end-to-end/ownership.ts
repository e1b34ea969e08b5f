import { describe, expect, it } from 'vitest'
import type { EndpointSlice } from '../../shared/endpointslice/index.ts'
import { ENDPOINT_SLICES } from '../../shared/kubernetes/index.ts'
import { checkUntouched, makeSlice, snapshotSlices } from '../support/world/index.ts'
import { numbered, type OpenCluster, openScene, type Scene, until } from './scene.ts'

/** Adds two slices with this Service's name label: one made by a user, one by another controller. */
async function addForeignSlices({ client, namespace }: Scene, service: string): Promise<EndpointSlice[]> {
  const made = ['by-hand', 'other'].map((name) =>
    makeSlice({
      namespace,
      name: `${service}-${name}`,
      service,
      managedBy: name === 'by-hand' ? null : 'somebody-else',
      endpoints: [{ addresses: ['10.1.0.0'], conditions: { ready: true } }],
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    }),
  )
  return Promise.all(made.map((slice) => client.create(ENDPOINT_SLICES, slice)))
}

export function describeOwnership(cluster: OpenCluster): void {
  describe('slices of others', () => {
    it('are not touched through the whole life of their Service', async () => {
      const scene = await openScene(cluster(), { mode: 'replace' })
      const foreign = snapshotSlices(await addForeignSlices(scene, 'web'))
      await scene.addPods(numbered('web', 3))
      await scene.addService('web')
      await scene.startRight()
      await scene.patchService('web', { spec: { ports: [{ name: 'web', port: 80, targetPort: 'http' }] } })
      await scene.untilRight()
      await scene.patchService('web', scene.selectorPatch({ app: 'nobody' }))
      await scene.untilRight()
      await scene.removeService('web')
      await until(() => scene.slices('web')).toHaveLength(foreign.size)

      expect(checkUntouched(foreign, await scene.slices())).toEqual([])
    })
  })
}
