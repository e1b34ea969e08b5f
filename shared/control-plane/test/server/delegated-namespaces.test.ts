import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Json } from '../../../../test/support/raw-client.ts'
import { isAggregator, sendJson } from '../../testing/extension-server.ts'
import { API_SERVICES, type DelegatingScene, GROUP, startDelegatingScene } from './delegating-scene.ts'

const PATIENCE = { timeout: 30_000, interval: 50 }
let scene: DelegatingScene

beforeAll(async () => {
  scene = await startDelegatingScene()
  await scene.available('Passed')
  await vi.waitFor(async () => expect((await scene.discovered()).freshness).toBe('Current'), PATIENCE)
})
afterAll(() => scene[Symbol.asyncDispose]())

async function conditions(name: string): Promise<Json> {
  const { status } = (await scene.server.client.get(`/api/v1/namespaces/${name}`)).body
  const all = status.conditions ?? []
  return Object.fromEntries(all.map((condition: Json) => [condition.type, condition]))
}

async function deleteNamespace(name: string): Promise<void> {
  const { client } = scene.server
  await client.post('/api/v1/namespaces', { metadata: { name } })
  await client.post(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: 'a' } })
  await client.delete(`/api/v1/namespaces/${name}`)
}

async function untilGone(name: string): Promise<void> {
  await expect
    .poll(async () => (await scene.server.client.get(`/api/v1/namespaces/${name}`)).status, PATIENCE)
    .toBe(404)
}

it('a namespace is gone when its objects on other servers are', async () => {
  let objects = ['a']
  let isHeld = true
  const asked: string[] = []
  scene.extension.answer((request, response) => {
    if (isAggregator(request) || !request.url?.endsWith('/namespaces/shop/zs')) return false
    asked.push(`${request.method} ${request.headers['x-remote-user']}`)
    if (request.method === 'DELETE' && !isHeld) objects = []
    const items = objects.map((name) => ({ metadata: { name, namespace: 'shop', finalizers: ['x/held'] } }))
    sendJson(response, { kind: 'ZList', apiVersion: `${GROUP}/v1`, metadata: {}, items })
    return true
  })
  await deleteNamespace('shop')
  await expect
    .poll(() => conditions('shop'), PATIENCE)
    .toMatchObject({
      NamespaceContentRemaining: {
        status: 'True',
        reason: 'SomeResourcesRemain',
        message: `Some resources are remaining: zs.${GROUP} has 1 resource instances`,
      },
      NamespaceFinalizersRemaining: {
        status: 'True',
        reason: 'SomeFinalizersRemain',
        message: 'Some content in the namespace has finalizers remaining: x/held in 1 resource instances',
      },
      NamespaceDeletionDiscoveryFailure: { status: 'False', reason: 'ResourcesDiscovered' },
    })
  isHeld = false
  await untilGone('shop')
  const user = 'system:serviceaccount:kube-system:namespace-controller'
  expect(asked.slice(0, 2)).toEqual([`DELETE ${user}`, `GET ${user}`])
  scene.extension.answer(undefined)
})

it('a namespace is not gone while a server does not say what it has', async () => {
  const { client } = scene.server
  await scene.extension.stop()
  await scene.lookAgain()
  await scene.available('FailedDiscoveryCheck')
  await deleteNamespace('mill')
  await expect
    .poll(() => conditions('mill'), PATIENCE)
    .toMatchObject({
      NamespaceDeletionDiscoveryFailure: {
        status: 'True',
        reason: 'DiscoveryFailed',
        message: `Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ${GROUP}/v1: stale GroupVersion discovery: ${GROUP}/v1`,
      },
      NamespaceContentRemaining: { status: 'False', reason: 'ContentRemoved' },
    })
  expect((await client.get('/api/v1/namespaces/mill/configmaps/a')).status).toBe(404)
  await scene.extension.start()
  await scene.lookAgain()
  await untilGone('mill')
})

it('a namespace is gone when the APIService of such a server is', async () => {
  await scene.extension.stop()
  await scene.lookAgain()
  await scene.available('FailedDiscoveryCheck')
  await deleteNamespace('barn')
  await expect
    .poll(() => conditions('barn'), PATIENCE)
    .toMatchObject({ NamespaceDeletionDiscoveryFailure: { status: 'True' } })
  await scene.server.client.delete(`${API_SERVICES}/v1.${GROUP}`)
  await untilGone('barn')
  await scene.extension.start()
})
