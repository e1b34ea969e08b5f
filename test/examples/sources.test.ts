import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../shared/endpointslice/index.ts'
import { EVENTS, NODES, PODS } from '../../shared/kubernetes/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { until } from '../end-to-end/scene.ts'
import { startSliceflow } from '../end-to-end/sliceflow.ts'
import { type ExampleCluster, startExampleCluster } from './cluster.ts'

/** Settings that the examples' pages ask for. */
const settings = parseSettings({
  coalescingWindow: 0.05,
  allowedPods: 'shop/default=*/default',
  allowedNetworks: 'shop/default=192.168.7.0/24',
  allowedAddresses: 'shop/default=10.20.0.0/16',
})

/** Starts clusters with these names and a Sliceflow that follows all of them. */
async function start<const T extends readonly string[]>(...names: T) {
  const clusters = await Promise.all(names.map(startExampleCluster))
  const { synced } = await startSliceflow(
    clusters.map(({ connection }) => connection),
    settings,
  )
  await synced
  return clusters as { readonly [K in keyof T]: ExampleCluster }
}

const endpointsOf = async (cluster: ExampleCluster, service: string): Promise<Endpoint[]> =>
  (await cluster.slices(service)).flatMap(({ endpoints }) => endpoints ?? [])
const addressesOf = async (cluster: ExampleCluster, service: string): Promise<string[]> =>
  (await endpointsOf(cluster, service)).flatMap(({ addresses }) => addresses).sort()
const eventsOf = async ({ client }: ExampleCluster): Promise<string[]> =>
  (await client.list(EVENTS, { namespace: 'default' })).items.map(
    ({ reason, message }) => `${reason} ${message}`,
  )

describe('a Service for plain addresses', () => {
  it('has them as endpoints, and follows its annotation', async () => {
    const [cluster] = await start('shop')
    await cluster.apply('static-addresses/service.yaml')
    await until(() => addressesOf(cluster, 'legacy-db')).toEqual(['10.20.0.5', '10.20.0.6'])
    await cluster.annotate('legacy-db', { 'sliceflow.dev/addresses': '10.20.0.6,10.20.0.7' })
    await until(() => addressesOf(cluster, 'legacy-db')).toEqual(['10.20.0.6', '10.20.0.7'])
  })
})

describe('a Service on a secondary network', () => {
  it('has the pods’ addresses there, and follows them', async () => {
    const [cluster] = await start('shop')
    await cluster.apply('secondary-network/service.yaml')
    await cluster.apply('secondary-network/pods.yaml')
    await until(() => endpointsOf(cluster, 'storage')).toMatchObject([
      { addresses: ['192.168.7.4'], nodeName: 'rack-1', zone: 'hall-a', targetRef: { name: 'storage-0' } },
    ])
    const status = JSON.stringify([{ name: 'default/fast', ips: ['192.168.7.9'] }])
    const patch = { metadata: { annotations: { 'k8s.v1.cni.cncf.io/network-status': status } } }
    await cluster.client.patch(PODS, { namespace: 'default', name: 'storage-0' }, patch)
    await until(() => addressesOf(cluster, 'storage')).toEqual(['192.168.7.9'])
    const stolen = JSON.stringify([{ name: 'default/fast', ips: ['192.168.7.10', '10.96.0.1'] }])
    const forged = { metadata: { annotations: { 'k8s.v1.cni.cncf.io/network-status': stolen } } }
    await cluster.client.patch(PODS, { namespace: 'default', name: 'storage-0' }, forged)
    await until(() => addressesOf(cluster, 'storage')).toEqual(['192.168.7.10'])
    await until(() => eventsOf(cluster)).toEqual([
      expect.stringMatching(/^RefusedAddress .*10\.96\.0\.1 on the network.*allowedNetworks/),
    ])
    await cluster.annotate('storage', { 'sliceflow.dev/network': null })
    await until(() => addressesOf(cluster, 'storage')).toEqual(['10.1.0.4'])
  })
})

it('gets neither addresses nor foreign pods that no setting allows, and tells why', async () => {
  const [warehouse] = await start('warehouse')
  await warehouse.apply('static-addresses/service.yaml')
  await warehouse.apply('secondary-network/service.yaml')
  await warehouse.apply('other-cluster/service.yaml')
  await warehouse.annotate('stock', { 'sliceflow.dev/namespace': 'kube-system' })
  await until(async () => (await eventsOf(warehouse)).sort()).toEqual([
    expect.stringMatching(/^RefusedAnnotation .*sliceflow\.dev\/addresses is refused: .*allowedAddresses/),
    expect.stringMatching(/^RefusedAnnotation .*sliceflow\.dev\/cluster is refused: .*kube-system/),
    expect.stringMatching(/^RefusedAnnotation .*sliceflow\.dev\/network is refused: .*allowedNetworks/),
  ])
  for (const service of ['legacy-db', 'storage', 'stock']) expect(await warehouse.slices(service)).toEqual([])
})

describe('a Service for pods of another cluster', () => {
  it('has them with their zones and ports, and follows pods and nodes there', async () => {
    const [shop, warehouse] = await start('shop', 'warehouse')
    await shop.apply('other-cluster/service.yaml')
    await warehouse.apply('other-cluster/pods.yaml')
    const conditions = { ready: true, serving: true, terminating: false }
    await until(() => endpointsOf(shop, 'stock')).toEqual([
      { addresses: ['10.1.0.4'], conditions, zone: 'hall-a' },
    ])
    expect((await shop.slices('stock'))[0]?.ports).toMatchObject([{ name: 'http', port: 8080 }])
    expect(await warehouse.slices('stock')).toEqual([])

    const zone = { metadata: { labels: { 'topology.kubernetes.io/zone': 'hall-b' } } }
    await warehouse.client.patch(NODES, { name: 'rack-1' }, zone)
    await until(() => endpointsOf(shop, 'stock')).toMatchObject([{ zone: 'hall-b' }])
    await warehouse.client.delete(PODS, { namespace: 'default', name: 'stock-0' }, { gracePeriodSeconds: 0 })
    await until(() => addressesOf(shop, 'stock')).toEqual([])
  })
})
