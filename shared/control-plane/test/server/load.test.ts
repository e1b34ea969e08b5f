import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:tls'
import { expect, it, vi } from 'vitest'
import { TestServer } from '../../testing/test-client.ts'

const PATH = '/api/v1/namespaces/default/configmaps'
const WATCHES = 20

/** Sends a request whose body never ends; resolves when its headers are sent. */
async function openUpload({ url, adminTls }: TestServer, authorization: string) {
  const { hostname: host, port } = url
  const headers = { authorization, 'content-type': 'application/json', 'content-length': '1000' }
  const { ca } = adminTls
  const sending = httpsRequest({ host, port, ca, method: 'POST', path: PATH, headers, agent: false })
  sending.on('error', () => undefined)
  const answered = once(sending, 'response').then(([response]) => {
    response.resume()
    return Number(response.statusCode)
  })
  answered.catch(() => undefined)
  sending.write('{')
  await once(sending, 'socket')
  return { answered, abort: () => sending.destroy() }
}

it('writes above the bound get a 429 that says when to come again, and reads, watches and helpers go on', async () => {
  await using scene = await TestServer.start({
    authorization: ({ user }) => user.groups.includes('system:authenticated'),
    authentication: { tokens: { token: { username: 'ada', groups: [] } } },
    limits: { writes: 2 },
  })
  const authorization = 'Bearer token'
  const ada = scene.as({ authorization })
  const slow = await Promise.all([openUpload(scene, authorization), openUpload(scene, authorization)])
  let refused = await ada.post(PATH, { metadata: { generateName: 'a-' } })
  while (refused.status !== 429) refused = await ada.post(PATH, { metadata: { generateName: 'a-' } })
  expect(refused.headers['retry-after']).toBe('1')
  expect(refused.body).toMatchObject({ reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } })
  expect((await ada.get(PATH)).status).toBe(200)
  const watch = await ada.watch(PATH)
  expect(watch.status).toBe(200)
  watch.close()
  expect((await scene.client.post(PATH, { metadata: { name: 'help' } })).status).toBe(201)
  for (const upload of slow) upload.abort()
  let status = 429
  while (status === 429) ({ status } = await ada.post(PATH, { metadata: { generateName: 'b-' } }))
  expect(status).toBe(201)
  expect(scene.failures).toEqual([])
})

it('a body that does not come is answered with 504, over HTTP/1.1 and HTTP/2, and its connection is let go', async () => {
  await using scene = await TestServer.start({
    authentication: { anonymous: true },
    authorization: () => true,
    limits: { timeoutSeconds: 2 },
  })
  const upload = await openUpload(scene, 'Basic none')
  const session = connectHttp2(scene.url, { ca: scene.ca })
  const stream = session.request({ ':method': 'POST', ':path': PATH, 'content-type': 'application/json' })
  stream.write('{')
  const [[headers], status] = await Promise.all([once(stream, 'response'), upload.answered])
  expect([status, headers[':status']]).toEqual([504, 504])
  session.destroy()
  const watch = await scene.client.watch(PATH)
  await scene.client.post(PATH, { metadata: { name: 'later' } })
  expect((await watch.until(({ object }) => object.metadata.name === 'later')).length).toBeGreaterThan(0)
  watch.close()
  expect(scene.failures).toEqual([])
})

it('watches beside idle connections all get a change', async () => {
  await using scene = await TestServer.start({ authorization: 'RBAC', controllers: [] })
  const path = `${PATH}?resourceVersion=1`
  const watches = await Promise.all(Array.from({ length: WATCHES }, () => scene.client.watch(path)))
  const { hostname: host, port } = scene.url
  const silent = Array.from({ length: WATCHES }, () => connect({ host, port: Number(port), ca: scene.ca }))
  for (const socket of silent) socket.on('error', () => undefined)
  await scene.client.post(PATH, { metadata: { name: 'news' } })
  for (const watch of watches) expect((await watch.next())?.object.metadata.name).toBe('news')
  for (const watch of watches) watch.close()
  for (const socket of silent) socket.destroy()
  expect((await scene.client.get('/readyz')).status).toBe(200)
  expect(scene.failures).toEqual([])
})

it('what is done when the time of its request is over is no failure', async () => {
  const waiting = Promise.withResolvers<void>()
  await using scene = await TestServer.start({
    authorization: 'RBAC',
    limits: { timeoutSeconds: 1 },
    admission: [{ name: 'Slow', validate: () => waiting.promise }],
  })
  const { status, body } = await scene.client.post(PATH, { metadata: { name: 'late' } })
  expect([status, body.reason]).toEqual([504, 'Timeout'])
  waiting.resolve()
  const stored = async () => expect((await scene.client.get(`${PATH}/late`)).status).toBe(200)
  await vi.waitFor(stored, { timeout: 20_000 })
  expect(scene.failures).toEqual([])
})
