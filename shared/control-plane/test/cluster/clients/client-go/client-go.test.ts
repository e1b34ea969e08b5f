import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRawClient } from '../../../../../../test/support/raw-client.ts'
import { accepted } from '../../../conformance/subject.ts'
import { SERVERS } from '../servers.ts'
import { ensureClientGoProgram } from './program.ts'

const NAMESPACE = 'client-go'
/** Time limit of the first run on a machine, which builds the program. */
const BUILD_TIMEOUT_MS = 600_000

describe.each(SERVERS)('client-go on %s with the set %s', (_, __, start) => {
  it('informs, elects leaders, applies, retries, pages, maps kinds and records events', {
    timeout: BUILD_TIMEOUT_MS,
  }, async () => {
    const program = await ensureClientGoProgram()
    const { kubeconfig, stop } = await start()
    onTestFinished(stop)
    const client = createRawClient(kubeconfig)
    onTestFinished(() => client.close())
    accepted(await client.post('/api/v1/namespaces', { metadata: { name: NAMESPACE } }))
    const folder = await mkdtemp(join(tmpdir(), 'client-go-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'kubeconfig')
    await writeFile(file, kubeconfig, { mode: 0o600 })

    const run = promisify(execFile)(program, ['--kubeconfig', file, '--namespace', NAMESPACE])
    const { stdout } = await run.catch((error: Error & { stdout: string }) => error)
    expect(stdout.trim().split('\n')).toEqual([
      'ok informer of typed objects',
      'ok informer of untyped objects',
      'ok informer of metadata',
      'ok leader election',
      'ok apply configurations',
      'ok untyped objects',
      'ok retries on conflict',
      'ok pages',
      'ok mapping of kinds',
      'ok recorded events',
    ])
  })
})
