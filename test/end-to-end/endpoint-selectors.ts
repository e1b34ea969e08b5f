import { beforeAll, describe, expect, it } from 'vitest'
import { ENDPOINT_SELECTORS } from '../../shared/kubernetes/index.ts'
import type { StartCluster } from './cluster.ts'
import { describeRefusedSelectors } from './refused-selectors.ts'
import { type OpenCluster, openScene, until } from './scene.ts'
import { describeSelectorControls } from './selector-controls.ts'
import {
  addSelector,
  defineEndpointSelectors,
  MATCHES_WEB,
  ON,
  openPublished,
  podsOf,
  slicesOf,
  untilServicesAreRight,
} from './selector-scene.ts'
import { useCluster } from './use-cluster.ts'

/**
 * Describes slices of EndpointSelectors, on any API server that serves definitions. The user has the roles
 * for it and no more.
 */
export function describeEndpointSelectors(name: string, startCluster: StartCluster): void {
  describe(`EndpointSelectors on ${name}`, () => {
    const cluster = useCluster(startCluster)
    beforeAll(() => defineEndpointSelectors(cluster().client))

    describeRefusedSelectors(cluster)
    describeNeighbours(cluster)
    describeSelectorControls(cluster)
  })
}

function describeNeighbours(cluster: OpenCluster): void {
  it('a Service of the same name, and another selector of the same Pods, have slices of their own', async () => {
    const scene = await openPublished(cluster)
    await scene.addService('web')
    await addSelector(scene, MATCHES_WEB, { name: 'all' })
    await until(() => podsOf(scene, 'all')).toEqual(['web-1', 'web-2'])
    await untilServicesAreRight(scene)
    await scene.removeService('web')
    await until(() => scene.slices('web')).toEqual([])
    expect(await podsOf(scene)).toEqual(['web-1', 'web-2'])
    await scene.client.delete(ENDPOINT_SELECTORS, { namespace: scene.namespace, name: 'web' })
    await until(() => slicesOf(scene)).toEqual([])
    expect(await podsOf(scene, 'all')).toEqual(['web-1', 'web-2'])
  })

  it('one that is deleted while nothing runs takes its slices with it, and the Service of its name none', async () => {
    const scene = await openScene(cluster(), ON)
    await scene.addPods(['web-1'])
    await addSelector(scene)
    await scene.addService('web')
    const first = await scene.start()
    await until(() => podsOf(scene)).toEqual(['web-1'])
    await untilServicesAreRight(scene)
    await first.stop()
    await scene.client.delete(ENDPOINT_SELECTORS, { namespace: scene.namespace, name: 'web' })
    await scene.start()
    await until(() => slicesOf(scene)).toEqual([])
    await untilServicesAreRight(scene)
    expect(await scene.slices('web')).not.toEqual([])
  })
}
