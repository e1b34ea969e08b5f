import { expect, it } from 'vitest'
import { ENDPOINT_SELECTORS } from '../../shared/kubernetes/index.ts'
import { SELECTOR_ROLE_FILES } from './cluster-role.ts'
import { startEmbeddedCluster } from './embedded-cluster.ts'
import { describeEndpointSelectors } from './endpoint-selectors.ts'
import { describeNativeSelectors } from './native-selectors.ts'
import { openScene, until } from './scene.ts'
import { defineEndpointSelectors } from './selector-scene.ts'
import { useCluster } from './use-cluster.ts'

const start = (name: string) => startEmbeddedCluster(name, { roleFile: SELECTOR_ROLE_FILES, crds: true })

describeEndpointSelectors('the embedded control plane', start)

describeNativeSelectors('the embedded control plane', start)

const cluster = useCluster(start)

it('a cluster that does not serve EndpointSelectors has its Services published, and these once it does', async () => {
  const scene = await openScene(cluster(), { endpointSelectors: true })
  await scene.addPods(['web-1'])
  await scene.addService('web')
  await scene.start()
  await scene.untilRight()
  await defineEndpointSelectors(scene.client)
  await scene.client.create(ENDPOINT_SELECTORS, {
    metadata: { name: 'web', namespace: scene.namespace },
    spec: { selector: { matchLabels: { app: 'web' } } },
  })
  await until(async () => (await scene.slices()).length).toBe(2)
  expect(await scene.slices('web')).toHaveLength(1)
})
