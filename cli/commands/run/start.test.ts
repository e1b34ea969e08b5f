import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { kubeconfigText } from '../../../test/support/kubeconfig.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { startTestRun } from '../../../test/support/test-run.ts'

const AWS = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y', AWS_REGION: 'eu-west-1' }

let kubeconfig: string
beforeEach(async () => {
  kubeconfig = join(temporaryFolder(), 'config')
  const unreachable = { name: 'a', server: 'https://127.0.0.1:1', authority: '', user: { token: 't' } }
  await writeFile(kubeconfig, kubeconfigText([unreachable]))
})

it('ends where a queue cannot be opened, whatever it serves by then', async () => {
  const flags = ['--queue', 'http://127.0.0.1:1/000000000000/live', '--metrics-port', '0', '--console', '0']
  const run = startTestRun({ kubeconfig, flags, env: AWS })
  expect(await run.ended).toBe(1)
  expect(run.stderr).toContain('failed to open queue http://127.0.0.1:1/000000000000/live')
})

it('ends on SIGTERM while a queue that is to be opened does not answer', async () => {
  const { port, asked } = await silentServer()
  const flags = ['--queue', `http://127.0.0.1:${port}/000000000000/live`]
  const run = startTestRun({ kubeconfig, flags, env: AWS })
  await asked
  run.kill('SIGTERM')
  expect(await run.ended).toBe(0)
})

it('ends on SIGTERM while a cluster that is checked before does not answer', async () => {
  const { port, asked } = await silentServer()
  const silent = { name: 'a', server: `https://127.0.0.1:${port}`, authority: '', user: { token: 't' } }
  await writeFile(kubeconfig, kubeconfigText([silent]))
  const run = startTestRun({ kubeconfig, flags: ['--preflight'] })
  await asked
  run.kill('SIGTERM')
  expect(await run.ended).toBe(0)
})

/** Accepts connections, and answers nothing. */
async function silentServer(): Promise<{ readonly port: number; readonly asked: Promise<unknown> }> {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, asked: once(server, 'connection') }
}
