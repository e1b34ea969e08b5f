import { beforeAll, describe, it } from 'vitest'
import { ANNOTATION_ADDRESSES } from '../../../shared/changes/index.ts'
import { ANNOTATION_EXPORT_KIND } from '../../../shared/fleet/index.ts'
import { ENDPOINT_SELECTORS } from '../../../shared/kubernetes/index.ts'
import { until } from '../scene.ts'
import { defineEndpointSelectors, MATCHES_WEB } from '../selector-scene.ts'
import type { FleetCluster } from './fleet-clusters.ts'
import { openFleetScene } from './fleet-scene.ts'

/** Describes EndpointSelectors that clusters of a set export. */
export function describeExportedSelectors(clusters: () => readonly FleetCluster[]): void {
  describe('an EndpointSelector that is exported', () => {
    beforeAll(async () => {
      for (const { client } of clusters()) await defineEndpointSelectors(client)
    })

    it('is published, imported in each cluster, followed, and goes everywhere with its deletion', async () => {
      const scene = await openFleetScene(clusters())
      const { namespace, members } = scene
      const [first] = members
      if (first === undefined) throw new Error('there are no clusters')
      await scene.start({ settings: { endpointSelectors: true, allowedAddresses: '*/*=10.66.0.0/16' } })
      const ref = { namespace, name: 'hello' }
      const say = (addresses: string): Promise<unknown> =>
        first.client.patch(ENDPOINT_SELECTORS, ref, {
          metadata: { annotations: { [ANNOTATION_ADDRESSES]: addresses } },
        })
      const everywhere = (): Promise<unknown> => Promise.all(members.map((member) => member.addresses()))
      const areAll = (...addresses: readonly string[]): unknown => members.map(() => addresses)

      await first.addExport()
      await first.annotateExport({ [ANNOTATION_EXPORT_KIND]: 'EndpointSelector' })
      await until(() => first.conditions()).toMatchObject({ Valid: 'False NoEndpointSelector' })
      const ports = [{ name: 'grpc', targetPort: 9000 }]
      await first.client.create(ENDPOINT_SELECTORS, {
        metadata: { ...ref, annotations: { [ANNOTATION_ADDRESSES]: '10.66.0.1' } },
        spec: { ...MATCHES_WEB, ports },
      })
      await until(everywhere).toEqual(areAll('first/10.66.0.1'))
      for (const member of members)
        await until(async () => (await member.imported())?.spec).toMatchObject({
          type: 'Headless',
          ports: [{ name: 'grpc', port: 9000 }],
        })
      await until(() => first.conditions()).toMatchObject({ Valid: 'True Valid' })
      await say('10.66.0.1,10.66.0.2')
      await until(everywhere).toEqual(areAll('first/10.66.0.1', 'first/10.66.0.2'))

      await first.client.delete(ENDPOINT_SELECTORS, ref)
      await until(everywhere).toEqual(areAll())
      for (const member of members) await until(() => member.imported()).toBeUndefined()
    })
  })
}
