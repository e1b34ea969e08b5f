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
  const silent = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const asked = once(silent, 'connection')
  const { port } = silent.address() as AddressInfo
  const flags = ['--queue', `http://127.0.0.1:${port}/000000000000/live`]
  const run = startTestRun({ kubeconfig, flags, env: AWS })
  await asked
  run.kill('SIGTERM')
  expect(await run.ended).toBe(0)
})
