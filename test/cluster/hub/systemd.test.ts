import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bundleImage } from '../../../infra/bundling/index.ts'
import type { TestCluster } from '../../end-to-end/cluster.ts'
import { createWorkload } from '../../support/workload.ts'
import { startRealCluster } from '../end-to-end-cluster.ts'
import { clientOf } from '../run-command.ts'

const run = promisify(execFile)
const UNIT = new URL('../../../infra/systemd/sliceflow.service', import.meta.url)
const SETTLE_SECONDS = 60
/**
 * Highest exposure on the scale of `systemd-analyze security`, which gives 10 to a unit that restricts
 * nothing.
 */
const MOST_EXPOSED = 2

const hasSystemd = await run('systemd-analyze', ['--version']).then(
  () => true,
  () => false,
)

describe('the systemd unit', () => {
  let folder: string
  let unit: string
  let cluster: TestCluster

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sliceflow-unit-'))
    await bundleImage(join(folder, 'opt'))
    unit = await readFile(UNIT, 'utf8')
    cluster = await startRealCluster('eu-1')
  })
  afterAll(async () => {
    await cluster?.stop()
    await rm(folder, { recursive: true })
  })

  /** Returns the values of a key, in the order of the file. */
  const valuesOf = (key: string): string[] =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)

  it.skipIf(!hasSystemd)('is right, and exposes little, for systemd-analyze (which this needs)', async () => {
    const file = join(folder, 'sliceflow.service')
    // It checks whether the program is there.
    await writeFile(file, unit.replace('/usr/bin/node', execPath))
    expect(await run('systemd-analyze', ['verify', file])).toEqual({ stdout: '', stderr: '' })
    const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', file])
    const [, exposure] = /Overall exposure level for sliceflow.service: ([\d.]+)/.exec(stdout) ?? []
    expect(Number(exposure)).toBeLessThan(MOST_EXPOSED)
  })

  it('starts a run that reconciles, from the files of the image and those of /etc/sliceflow', async () => {
    const credentials = join(folder, 'credentials')
    const [credential = ''] = valuesOf('LoadCredential')
    expect(credential).toBe('kubeconfig:/etc/sliceflow/kubeconfig')
    await mkdir(credentials)
    await writeFile(join(credentials, 'kubeconfig'), cluster.user)
    const assigned = valuesOf('Environment').map((text) => text.replace('%d', credentials).split('='))
    // What run.env would say.
    const env = { ...Object.fromEntries(assigned), RUN_FLAGS: '--context eu-1', SLICEFLOW_MODE: 'custom' }
    const [command = ''] = valuesOf('ExecStart')
    const [node, main = '', ...args] = command.replace('$RUN_FLAGS', env.RUN_FLAGS).split(' ')
    expect(node).toBe('/usr/bin/node')
    const port = args.indexOf('--metrics-port') + 1
    const flags = args.with(port, '0')
    const child = spawn(execPath, [main.replace('/opt/sliceflow', join(folder, 'opt')), ...flags], { env })
    onTestFinished(() => void child.kill('SIGKILL'))
    const client = await clientOf(cluster.admin)
    const load = createWorkload({ client, services: 5, podsPerService: 5, seed: 600 })
    await load.createAll()
    expect((await load.settle(SETTLE_SECONDS)).differences).toEqual([])
    child.kill('SIGTERM')
    expect((await once(child, 'close'))[0]).toBe(0)
  })

  it('does not start again what is used wrongly', async () => {
    const [restart] = valuesOf('RestartPreventExitStatus')
    const call = run(execPath, [join(folder, 'opt/main.js'), 'run', '--mode', 'both'], { env: {} })
    await expect(call).rejects.toMatchObject({ code: Number(restart) })
  })
})
