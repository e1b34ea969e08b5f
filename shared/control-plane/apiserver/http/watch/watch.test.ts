import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { expect, it } from 'vitest'
import { TestServer } from '../../../testing/test-client.ts'

const PATH = '/api/v1/namespaces/default/configmaps'

it('watches that begin while objects are written miss none of them', async () => {
  await using server = await TestServer.start()
  const names = Array.from({ length: 60 }, (_, index) => `c${index}`)
  const watches = Array.from({ length: 8 }, () => server.events(`${PATH}?watch=1`, names.length))
  await Promise.all(names.map((name) => server.create(PATH, { metadata: { name } })))
  for (const events of await Promise.all(watches)) {
    expect(events.map(({ object }) => object.metadata.name).sort()).toEqual([...names].sort())
    expect(events.every(({ type }) => type === 'ADDED')).toBe(true)
  }
})

it('many watchers get the same events in the same order', async () => {
  await using server = await TestServer.start()
  const from = (await server.ask('GET', PATH)).body.metadata as { resourceVersion: string }
  const query = `watch=1&resourceVersion=${from.resourceVersion}`
  const watches = Array.from({ length: 5 }, () => server.events(`${PATH}?${query}`, 3))
  await server.create(PATH, { metadata: { name: 'a' } })
  await server.patch(`${PATH}/a`, { data: { v: '1' } })
  await server.ask('DELETE', `${PATH}/a`)
  const [first, ...others] = await Promise.all(watches)
  expect(first?.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
  for (const other of others) expect(other).toEqual(first)
})

const text = 'x'.repeat(1e6)

it('a watch from an earlier version gets all that has happened since, however much that is', async () => {
  await using server = await TestServer.start()
  const from = (await server.ask('GET', PATH)).body.metadata as { resourceVersion: string }
  const names = Array.from({ length: 18 }, (_, index) => `c${index}`)
  for (const name of names) await server.create(PATH, { metadata: { name }, data: { text } })
  const events = await server.events(`${PATH}?watch=1&resourceVersion=${from.resourceVersion}`, names.length)
  expect(events.map(({ object }) => object.metadata.name)).toEqual(names)
})

it('a watcher that does not read what happens is cut off', async () => {
  await using server = await TestServer.start()
  const request = get(new URL(`${PATH}?watch=1`, server.url), { ...server.adminTls, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  for (let index = 0; index < 30; index++) {
    await server.create(PATH, { metadata: { name: `c${index}` }, data: { text } })
  }
  await expect(response.resume().toArray()).rejects.toThrow('aborted')
})
