import { KubeConfig } from '@kubernetes/client-node'
import { expect, it, onTestFinished } from 'vitest'
import { runController } from '../../examples/controller.ts'
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../shared/kubernetes/index.ts'
import { until } from '../end-to-end/scene.ts'
import { createFakePods, makeNode, makePod, makeService } from '../support/world/index.ts'
import { startExampleCluster } from './cluster.ts'

it('the small controller keeps the slices of the Services that it is told to', async () => {
  const { client, kubeconfig, slices } = await startExampleCluster('example')
  const config = new KubeConfig()
  config.loadFromString(kubeconfig)
  const ending = new AbortController()
  const running = runController(config, ending.signal)
  onTestFinished(async () => {
    ending.abort()
    await running
  })
  const published = async (): Promise<string[]> =>
    (await slices('web'))
      .filter(
        ({ metadata }) =>
          metadata?.labels?.['endpointslice.kubernetes.io/managed-by'] === 'controller.example.org',
      )
      .flatMap(({ endpoints }) => (endpoints ?? []).map(({ addresses }) => addresses.join()))
      .sort()

  const pods = createFakePods(client)
  await client.create(NODES, makeNode())
  await client.create(SERVICES, makeService({ labels: { 'example.org/published': '' } }))
  await client.create(SERVICES, makeService({ name: 'other' }))
  await pods.start(makePod({ name: 'web-1' }), ['10.1.0.1'])
  await pods.start(makePod({ name: 'web-2' }), ['10.1.0.2'])
  await until(published).toEqual(['10.1.0.1', '10.1.0.2'])
  await client.delete(PODS, { namespace: 'default', name: 'web-1' }, { gracePeriodSeconds: 0 })
  await until(published).toEqual(['10.1.0.2'])
  expect(await slices('other')).toEqual([])

  const [slice] = await slices('web')
  await client.delete(ENDPOINT_SLICES, { namespace: 'default', name: slice?.metadata?.name ?? '' })
  await until(published).toEqual(['10.1.0.2'])
})
