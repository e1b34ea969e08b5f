import { once } from 'node:events'
import { connect } from 'node:http2'
import { expect, it } from 'vitest'
import { TestServer } from '../../testing/test-client.ts'

const PATH = '/api/v1/namespaces/default/configmaps'

it('an audit log has the start and the end of a watch, with one id', async () => {
  await using scene = await TestServer.start({ authorization: 'RBAC' })
  const watch = await scene.client.watch(PATH)
  const stages = () => scene.audit.filter(({ verb }) => verb === 'watch').map(({ stage }) => stage)
  expect(stages()).toEqual(['ResponseStarted'])
  watch.close()
  await expect.poll(stages).toEqual(['ResponseStarted', 'ResponseComplete'])
  const ids = scene.audit.filter(({ verb }) => verb === 'watch').map(({ auditID }) => auditID)
  expect(new Set(ids).size).toBe(1)
})

it('an audit log has who sent a request, as whom, and that it was forbidden', async () => {
  await using scene = await TestServer.start({ authorization: 'RBAC' })
  const headers = { 'impersonate-user': 'eve', 'audit-id': 'mine' }
  expect((await scene.client.get(`${PATH}/a`, headers)).status).toBe(403)
  await expect.poll(() => scene.audit).not.toEqual([])
  expect(scene.audit[0]).toMatchObject({
    auditID: 'mine',
    user: { username: 'kubernetes-admin' },
    impersonatedUser: { username: 'eve' },
    objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
    responseStatus: { code: 403 },
    annotations: { 'authorization.k8s.io/decision': 'forbid' },
  })
})

it('an audit log has the source of a request over HTTP/2', async () => {
  await using scene = await TestServer.start({ authorization: 'RBAC' })
  const session = connect(scene.url, scene.adminTls)
  const request = session.request({ ':path': `${PATH}/a` }).resume()
  await once(request, 'close')
  session.close()
  await expect.poll(() => scene.audit).not.toEqual([])
  expect(scene.audit[0]?.sourceIPs).toEqual([expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/)])
})

it.each([
  [
    'throws',
    () => {
      throw new Error('the log is full')
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('the log is full')
    },
  ],
])('an audit log that %s costs no request, and is reported', async (_, audit) => {
  const failures: unknown[] = []
  const observer = { audit, onError: (error: unknown) => failures.push(error) }
  await using scene = await TestServer.start({ observer })
  expect((await scene.client.get(PATH)).status).toBe(200)
  await expect.poll(() => failures).toContainEqual(new Error('the log is full'))
})
