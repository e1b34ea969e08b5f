import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startControlPlane } from '../../../test/support/control-plane-process.ts'
import { createRawClient } from '../../../test/support/raw-client.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'

it('the command serves the users of a token file, writes down what they do, and runs no controllers where it is to run none', async () => {
  const folder = temporaryFolder()
  const tokens = join(folder, 'tokens.csv')
  const log = join(folder, 'audit.ndjson')
  writeFileSync(tokens, 'adas-secret,ada,7,"system:masters"\n')
  const flags = ['--token-auth-file', tokens, '--audit-log', log]
  const server = await startControlPlane('--only', 'apiserver', '--bind-address', '127.0.0.2', ...flags)
  onTestFinished(() => void server.end('SIGKILL'))
  expect(server.url).toMatch(/^https:\/\/127\.0\.0\.2:/)

  const ada = createRawClient(server.kubeconfig, { authorization: 'Bearer adas-secret' })
  const nobody = createRawClient(server.kubeconfig, {})
  onTestFinished(() => {
    ada.close()
    nobody.close()
  })
  expect((await ada.get('/api/v1/namespaces/default/serviceaccounts')).body.items).toEqual([])
  expect((await nobody.get('/healthz')).status).toBe(401)
  const events = await vi.waitFor(() => {
    const lines = readFileSync(log, 'utf8').trim().split('\n')
    expect(lines).toHaveLength(2)
    return lines.map((line) => JSON.parse(line))
  }, 15_000)
  expect(events[0]).toMatchObject({
    kind: 'Event',
    level: 'Metadata',
    stage: 'ResponseComplete',
    verb: 'list',
    user: { username: 'ada', uid: '7', groups: ['system:masters', 'system:authenticated'] },
    sourceIPs: [expect.stringMatching(/^127\./)],
    objectRef: { resource: 'serviceaccounts', namespace: 'default', apiVersion: 'v1' },
    responseStatus: { code: 200 },
    annotations: { 'authorization.k8s.io/decision': 'allow' },
  })
  expect(events[1]).toMatchObject({ requestURI: '/healthz', responseStatus: { code: 401 } })
  expect(readFileSync(log, 'utf8') + server.stderr).not.toContain('adas-secret')
  expect(statSync(log).mode & 0o777).toBe(0o600)
  const watch = await ada.watch('/api/v1/namespaces')
  expect(await server.end('SIGTERM')).toBe(0)
  watch.close()
  expect(JSON.parse(readFileSync(log, 'utf8').trim().split('\n').at(-1) ?? '')).toMatchObject({
    stage: 'ResponseComplete',
    verb: 'watch',
  })
})

it('the command goes on with its audit log once that can be written again', async () => {
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const first = createReadStream(pipe)
  const server = await startControlPlane('--audit-log', pipe)
  onTestFinished(() => void server.end('SIGKILL'))
  const nobody = createRawClient(server.kubeconfig, {})
  onTestFinished(() => nobody.close())
  await Promise.all([once(first, 'data'), nobody.get('/first')])
  first.destroy()
  // A read that has begun takes one more line.
  await Promise.all([once(first, 'close'), nobody.get('/read')])
  await nobody.get('/lost')
  await vi.waitFor(() => expect(server.stderr).toContain('failed to write the audit log'), 15_000)
  const second = createReadStream(pipe)
  onTestFinished(() => void second.destroy())
  await once(second, 'open')
  const [[text]] = await Promise.all([once(second, 'data'), nobody.get('/again')])
  expect(JSON.parse(String(text))).toMatchObject({ requestURI: '/again' })
})
