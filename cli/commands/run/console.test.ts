import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { kubeconfigText } from '../../../test/support/kubeconfig.ts'
import { startSliceflowProcess } from '../../../test/support/sliceflow-process.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { startTestRun } from '../../../test/support/test-run.ts'
import { runSliceflow } from '../../program.fixtures.ts'

let folder: string
let kubeconfig: string

beforeEach(async () => {
  folder = temporaryFolder()
  kubeconfig = join(folder, 'config')
  const unreachable = { name: 'a', server: 'https://127.0.0.1:1', authority: '', user: { token: 't' } }
  await writeFile(kubeconfig, kubeconfigText([unreachable]))
})

describe('run --console', () => {
  it('ends, and says why, where its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const flags = ['--console', String(port), '--metrics-port', '0']
    const run = startSliceflowProcess({ kubeconfig, flags })
    expect(await run.ended).toBe(1)
    expect(run.stderr).toContain(`cannot serve the console on 127.0.0.1:${port}: listen EADDRINUSE`)
  })

  it('refuses a token that is none', async () => {
    vi.stubEnv('SLICEFLOW_CONSOLE_TOKEN', '')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await runSliceflow('run', '--kubeconfig', kubeconfig, '--console', '0')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'SLICEFLOW_CONSOLE_TOKEN: it must be 22 to 128 random letters, digits, "-" or "_"',
      ),
    })
  })

  it('keeps the URL of a token that it is given, while no cluster answers', async () => {
    const token = 'x'.repeat(22)
    const env = { SLICEFLOW_CONSOLE_TOKEN: token }
    const run = startTestRun({ kubeconfig, flags: ['--console', '0'], env })
    const printed = () => /^console: (http:\S+)$/m.exec(run.stderr)?.[1]
    await expect.poll(printed).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/${token}/$`))
    expect((await fetch(printed() ?? '')).status).toBe(200)
    run.kill('SIGTERM')
    expect(await run.ended).toBe(0)
  })
})
