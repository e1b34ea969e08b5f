import type { ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import type { KubeObject } from '../apimachinery/objects.ts'
import { MemoryBackend } from '../apiserver/storage/backend.ts'
import { ObjectStore } from '../apiserver/storage/object-store.ts'
import { certificateAuthority } from '../auth/security/certificates.ts'
import { startWebhookServer } from '../testing/webhook-server.ts'
import { RESOURCE } from './api-service.ts'
import { Delegates } from './delegates.ts'
import { fetchFrom } from './delegation/fetch.ts'

const NAME = 'v1.example.com'
const apiService: KubeObject = {
  metadata: { name: NAME },
  spec: {
    group: 'example.com',
    version: 'v1',
    service: { namespace: 'n', name: 's', port: 443 },
    insecureSkipTLSVerify: true,
  },
}

it('that have been retired do not outlive the end of all: what they ask is broken off', async () => {
  const held = Promise.withResolvers<ServerResponse>()
  const server = await startWebhookServer((_body, response) => held.resolve(response))
  onTestFinished(() => server.close())
  const service: KubeObject = {
    metadata: { name: 's' },
    spec: { type: 'ClusterIP', clusterIP: '10.0.0.1', ports: [{ port: 443 }], ipFamilies: ['IPv4'] },
  }
  const slice: KubeObject = {
    metadata: { name: 's-1', labels: { 'kubernetes.io/service-name': 's' } },
    ports: [{ name: '', port: Number(new URL(server.url).port) }],
    endpoints: [{ addresses: ['127.0.0.1'] }],
  }
  const frontProxy = await (await certificateAuthority()).client('front-proxy', [])
  const store = new ObjectStore(new MemoryBackend(), { changes: 100 })
  store.put(RESOURCE, NAME, apiService)
  const delegates = new Delegates(store, { objects: { get: () => service, list: () => [slice] }, frontProxy })
  delegates.start()
  const delegate = delegates.get(NAME)
  if (!delegate) throw new Error('failed to find the delegate: its APIService names a Service')
  const asking = expect(fetchFrom(delegate, { path: '/', headers: {} })).rejects.toThrow('aborted')
  const { socket } = await held.promise
  store.remove(RESOURCE, NAME, apiService)
  expect(delegates.get(NAME)).toBeUndefined()
  expect(socket?.destroyed).toBe(false)
  delegates.stop()
  await asking
  await expect.poll(() => socket?.destroyed).toBe(true)
  const before = server.connections
  await expect(fetchFrom(delegate, { path: '/', headers: {} })).rejects.toThrow('aborted')
  expect(server.connections).toBe(before)
})
