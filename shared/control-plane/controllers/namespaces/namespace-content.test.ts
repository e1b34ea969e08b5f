import { expect, it, vi } from 'vitest'
import type { JsonObject } from '../../apimachinery/json/exact-numbers.ts'
import { TestServer } from '../../testing/test-client.ts'

const PATH = '/api/v1/namespaces/ending'

it('a namespace that is deleted loses its pods before everything else', async () => {
  await using server = await TestServer.start({ controllers: ['namespace'] })
  await server.create('/api/v1/namespaces', { metadata: { name: 'ending' } })
  await server.create(`${PATH}/configmaps`, { metadata: { name: 'needed' } })
  await server.create(`${PATH}/serviceaccounts`, { metadata: { name: 'default' } })
  const pod = await server.create(`${PATH}/pods`, {
    metadata: { name: 'pod', finalizers: ['example.com/hold'] },
    spec: { containers: [{ name: 'a', image: 'a' }] },
  })
  expect(pod.status).toBe(201)
  await server.ask('DELETE', PATH)

  await vi.waitFor(async () => {
    const { body } = await server.ask('GET', PATH)
    expect((body.status as JsonObject).conditions).toContainEqual(
      expect.objectContaining({
        type: 'NamespaceContentRemaining',
        message: 'Some resources are remaining: pods. has 1 resource instances',
      }),
    )
  }, 15_000)
  const { body: held } = await server.ask('GET', `${PATH}/pods/pod`)
  expect(held.metadata).toHaveProperty('deletionTimestamp')
  expect((await server.ask('GET', `${PATH}/configmaps/needed`)).status).toBe(200)

  await server.patch(`${PATH}/pods/pod`, { metadata: { finalizers: null } })
  await expect.poll(async () => (await server.ask('GET', PATH)).status).toBe(404)
})
