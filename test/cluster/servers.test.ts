import { spawn } from 'node:child_process'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRawClient, type RawClient } from '../support/raw-client.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { KUBERNETES_VERSION } from './binaries.ts'

describe('a real API server', () => {
  let server: ApiServer
  let client: RawClient

  beforeAll(async () => {
    server = await startApiServer({ users: [{ token: 'guest-token', user: 'guest' }] })
    client = createRawClient(server.kubeconfig.text)
  })
  afterAll(async () => {
    client?.close()
    await server?.stop()
  })

  it('reports the release that the Go module names', async () => {
    const { body } = await client.get('/version')
    expect(body.gitVersion).toBe(KUBERNETES_VERSION)
  })

  it('knows the users of the token file', async () => {
    const guest = createRawClient(server.kubeconfigFor('guest-token'))
    const stranger = createRawClient(server.kubeconfigFor('no-such-token'))
    expect((await guest.get('/api/v1/pods')).body.message).toContain(
      'User "guest" cannot list resource "pods"',
    )
    expect((await stranger.get('/api/v1/pods')).status).toBe(401)
    guest.close()
    stranger.close()
  })

  it('keeps its data and address over a restart', async () => {
    await client.post('/api/v1/namespaces', { metadata: { name: 'kept' } })
    await server.restart()
    expect((await client.get('/api/v1/namespaces/kept')).status).toBe(200)
  })
})

const PARENT = `
import { startApiServer } from ${JSON.stringify(new URL('./api-server.ts', import.meta.url).href)}
const server = await startApiServer()
console.log(server.folder)
setInterval(() => {}, 1000)
`

describe('the servers of a process that is killed', () => {
  it('are killed and their folder is removed', async () => {
    const cwd = fileURLToPath(new URL('.', import.meta.url))
    const parent = spawn(execPath, ['--input-type=module', '--eval', PARENT], {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const folder = await firstLine(parent.stdout)
    const kubeconfig = await readFile(join(folder, 'kubeconfig'), 'utf8')
    const client = createRawClient(kubeconfig)
    expect((await client.get('/readyz')).status).toBe(200)

    parent.kill('SIGKILL')

    await expect.poll(() => exists(folder)).toBe(false)
    await expect(client.get('/readyz')).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/)
    client.close()
  })
})

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line
  throw new Error('the process ended before it said anything')
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
