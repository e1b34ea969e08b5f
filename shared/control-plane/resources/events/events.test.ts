import { expect, it } from 'vitest'
import { TestServer } from '../../testing/test-client.ts'

const EVENTS = '/api/v1/namespaces/default/events'

it('go when nobody writes them again, which watches of both groups tell', async () => {
  await using server = await TestServer.start({ controllers: [], eventTtlSeconds: 0.05 })
  const seen = server.events('/apis/events.k8s.io/v1/events?watch=1', 2)
  await server.create(EVENTS, {
    metadata: { name: 'short' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    message: 'hello',
  })
  expect(await seen).toMatchObject([
    { type: 'ADDED', object: { metadata: { name: 'short' }, note: 'hello' } },
    { type: 'DELETED', object: { metadata: { name: 'short' }, note: 'hello' } },
  ])
  expect((await server.ask('GET', `${EVENTS}/short`)).status).toBe(404)
})
