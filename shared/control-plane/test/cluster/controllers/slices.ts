import { beforeAll, expect, it } from 'vitest'
import type { Json } from '../../../../../test/support/raw-client.ts'
import { type ControllersScene, PATIENCE } from '../../controllers/scene.ts'
import type { RestartableScene } from './scene.ts'

/** Endpoints of pods without a node are left out. */
const NODE = 'node-1'
const SLICES = '/apis/discovery.k8s.io/v1'

/** Tests slices of a Service's pods, and those of Endpoints that somebody writes by hand. */
export function itFollowsServices(scene: ControllersScene, running: () => RestartableScene): void {
  const at = (namespace: string, path: string): string => `/api/v1/namespaces/${namespace}/${path}`
  const create = async (path: string, object: Json): Promise<void> => {
    const { status, text } = await scene.client.post(path, object)
    expect(status, text).toBe(201)
  }
  const slicesOf = async (namespace: string, service: string): Promise<Json[]> => {
    const selector = encodeURIComponent(`kubernetes.io/service-name=${service}`)
    const path = `${SLICES}/namespaces/${namespace}/endpointslices?labelSelector=${selector}`
    return (await scene.client.get(path)).body.items
  }
  const addressesOf = async (namespace: string, service: string): Promise<string[]> => {
    const slices = await slicesOf(namespace, service)
    const endpoints: Json[] = slices.flatMap(({ endpoints }) => endpoints ?? [])
    return endpoints.flatMap(({ addresses }) => addresses).sort()
  }
  const runPod = async (namespace: string, name: string, podIP: string): Promise<void> => {
    await expect
      .poll(async () => (await scene.client.get(at(namespace, 'serviceaccounts/default'))).status, PATIENCE)
      .toBe(200)
    const container = { name: 'main', image: 'none' }
    await create(at(namespace, 'pods'), {
      metadata: { name, labels: { app: 'web' } },
      spec: { containers: [container], nodeName: NODE },
    })
    const status = {
      phase: 'Running',
      podIP,
      podIPs: [{ ip: podIP }],
      conditions: [{ type: 'Ready', status: 'True' }],
    }
    expect((await scene.client.patch(at(namespace, `pods/${name}/status`), { status })).status).toBe(200)
  }

  /** Removes a pod at once, as there is no kubelet that would end it. */
  const removePod = (namespace: string, name: string) =>
    scene.client.delete(at(namespace, `pods/${name}`), { gracePeriodSeconds: 0 })

  beforeAll(() => create('/api/v1/nodes', { metadata: { name: NODE } }))

  it('keeps slices and Endpoints of a Service, as its pods come and go', async () => {
    await scene.namespace('followed')
    await create(at('followed', 'services'), {
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
    })
    await runPod('followed', 'one', '10.1.0.1')
    await runPod('followed', 'two', '10.1.0.2')
    await expect.poll(() => addressesOf('followed', 'web'), PATIENCE).toEqual(['10.1.0.1', '10.1.0.2'])
    const [slice] = await slicesOf('followed', 'web')
    expect(slice).toMatchObject({
      ports: [{ port: 8080, protocol: 'TCP' }],
      metadata: { labels: { 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' } },
    })
    const endpoints = async (): Promise<Json> =>
      (await scene.client.get(at('followed', 'endpoints/web'))).body.subsets?.[0].addresses.length
    await expect.poll(endpoints, PATIENCE).toBe(2)

    await removePod('followed', 'one')
    await expect.poll(() => addressesOf('followed', 'web'), PATIENCE).toEqual(['10.1.0.2'])
    await expect.poll(endpoints, PATIENCE).toBe(1)
    await scene.client.delete(at('followed', 'services/web'))
    await expect.poll(() => slicesOf('followed', 'web'), PATIENCE).toEqual([])
    await expect
      .poll(async () => (await scene.client.get(at('followed', 'endpoints/web'))).status, PATIENCE)
      .toBe(404)
  })

  it('mirrors Endpoints that somebody writes for a Service without a selector', async () => {
    await scene.namespace('mirrored')
    await create(at('mirrored', 'services'), { metadata: { name: 'db' }, spec: { ports: [{ port: 5432 }] } })
    await create(at('mirrored', 'endpoints'), {
      metadata: { name: 'db' },
      subsets: [{ addresses: [{ ip: '10.9.0.1' }], ports: [{ port: 5432 }] }],
    })
    await expect.poll(() => addressesOf('mirrored', 'db'), PATIENCE).toEqual(['10.9.0.1'])
    const [slice] = await slicesOf('mirrored', 'db')
    expect(slice.metadata.labels).toMatchObject({
      'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
    })
    await scene.client.delete(at('mirrored', 'endpoints/db'))
    await expect.poll(() => slicesOf('mirrored', 'db'), PATIENCE).toEqual([])
  })

  it('leaves the Service of the server itself alone', async () => {
    const [slice, ...others] = await slicesOf('default', 'kubernetes')
    expect(others).toEqual([])
    expect(slice.metadata).toMatchObject({ name: 'kubernetes' })
    expect(slice.metadata.labels).not.toHaveProperty(['endpointslice.kubernetes.io/managed-by'])
  })

  it('goes on where it was when the server has ended and started again', async () => {
    await scene.namespace('resumed')
    await create(at('resumed', 'services'), {
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    })
    await runPod('resumed', 'before', '10.2.0.1')
    await expect.poll(() => addressesOf('resumed', 'web'), PATIENCE).toEqual(['10.2.0.1'])
    await running().restart()
    await runPod('resumed', 'after', '10.2.0.2')
    await expect.poll(() => addressesOf('resumed', 'web'), PATIENCE).toEqual(['10.2.0.1', '10.2.0.2'])
    for (const pod of ['before', 'after']) await removePod('resumed', pod)
    await scene.client.delete('/api/v1/namespaces/resumed')
    await expect
      .poll(async () => (await scene.client.get('/api/v1/namespaces/resumed')).status, PATIENCE)
      .toBe(404)
  })
}
