import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Json } from '../../../../test/support/raw-client.ts'
import { type RemoteControllers, startRemoteControllers } from '../../index.ts'
import { isAggregator, sendJson } from '../../testing/extension-server.ts'
import { type DelegatingScene, GROUP, startDelegatingScene } from './delegating-scene.ts'

const PATIENCE = { timeout: 30_000, interval: 50 }
let scene: DelegatingScene
let controllers: RemoteControllers | undefined

beforeAll(async () => {
  scene = await startDelegatingScene({ controllers: [] })
  await scene.available('Passed')
  await vi.waitFor(async () => expect((await scene.discovered()).freshness).toBe('Current'), PATIENCE)
  const { url, adminTls } = scene.server
  const connection = { name: 'there', server: url, credentials: async () => ({ headers: {}, ...adminTls }) }
  controllers = await startRemoteControllers(connection, {
    controllers: ['namespace'],
    onError: () => undefined,
  })
})
afterAll(async () => {
  await controllers?.close()
  await scene[Symbol.asyncDispose]()
})

it('controllers over the API empty a namespace of what delegated servers keep, each object by its uid', async () => {
  const { client } = scene.server
  let uid: string | undefined = 'the-uid'
  const deleted: string[] = []
  scene.extension.answer((request, response) => {
    const path = '/namespaces/shop/zs'
    const url = request.url?.split('?')[0]
    if (isAggregator(request) || !(url?.endsWith(path) || url?.endsWith(`${path}/a`))) return false
    if (request.method === 'DELETE') {
      let text = ''
      request.on('data', (chunk: Buffer) => {
        text += chunk
      })
      request.on('end', () => {
        deleted.push(JSON.parse(text).preconditions.uid)
        uid = undefined
        sendJson(response, { kind: 'Status', apiVersion: 'v1', status: 'Success' })
      })
      return true
    }
    const items: Json[] = uid
      ? [{ metadata: { name: 'a', namespace: 'shop', uid, resourceVersion: '1' } }]
      : []
    const metadata = { resourceVersion: '1' }
    sendJson(response, { kind: 'ZList', apiVersion: `${GROUP}/v1`, metadata, items })
    return true
  })
  await client.post('/api/v1/namespaces', { metadata: { name: 'shop' } })
  await client.post('/api/v1/namespaces/shop/configmaps', { metadata: { name: 'a' } })
  await client.delete('/api/v1/namespaces/shop')
  await expect.poll(async () => (await client.get('/api/v1/namespaces/shop')).status, PATIENCE).toBe(404)
  expect(deleted).toEqual(['the-uid'])
})
