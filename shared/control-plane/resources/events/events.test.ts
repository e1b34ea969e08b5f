import { expect, it } from 'vitest'
import { TestServer } from '../../testing/test-client.ts'

const EVENTS = '/api/v1/namespaces/default/events'

it('expire unless they are written again, and watches of both groups get the deletion', async () => {
  await using server = await TestServer.start({ controllers: [], storage: { eventTtlSeconds: 0.05 } })
  const before = (await server.ask('GET', EVENTS)).body.metadata as { resourceVersion: string }
  const query = `watch=1&resourceVersion=${before.resourceVersion}`
  const seen = server.events(`/apis/events.k8s.io/v1/events?${query}`, 2)
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
