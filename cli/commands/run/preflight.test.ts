import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { mergeKubeconfigs, withServer } from '../../../test/support/kubeconfig.ts'
import { startSliceflowProcess } from '../../../test/support/sliceflow-process.ts'
import { findInstallation } from '../../package.ts'
import { readRoleGroup } from '../../preflight/index.ts'
import { runSliceflow } from '../../program.fixtures.ts'
import { type GuardedCluster, startGuardedCluster } from '../preflight/preflight.fixtures.ts'

const { permissions: NEEDED } = await readRoleGroup(findInstallation().folder, {})

let cluster: GuardedCluster
beforeAll(async () => {
  cluster = await startGuardedCluster('eu-1')
})
afterAll(() => cluster.stop())

describe('sliceflow run --preflight', () => {
  it('starts with --fail-on all where one of two clusters is down, and serves the other', async () => {
    await cluster.grant(NEEDED)
    const down = withServer(cluster.text, 'https://127.0.0.1:1').replaceAll('eu-1', 'us-1')
    const run = startSliceflowProcess({
      kubeconfig: await cluster.file(mergeKubeconfigs([cluster.text, down])),
      flags: ['--fail-on', 'all', '--log-format', 'json', '--context', 'eu-1', '--context', 'us-1'],
    })
    onTestFinished(async () => {
      run.kill('SIGKILL')
      await run.ended
    })
    await expect.poll(() => run.stderr, { timeout: 20_000 }).toContain('run would work for 1 of 2 clusters')
    expect(run.stderr).toMatch(/✗ server: .*ECONNREFUSED/)
    await expect.poll(() => run.stderr, { timeout: 20_000 }).toMatch(/^\{.*us-1/m)
    run.kill('SIGTERM')
    expect(await run.ended).toBe(0)
  })

  it('starts nothing where a check fails, and says which', async () => {
    await cluster.grant(NEEDED.filter(({ resource }) => resource !== 'pods'))
    const kubeconfig = await cluster.file(cluster.text)
    const run = await runSliceflow('run', '--kubeconfig', kubeconfig, '--preflight')
    expect(run.code).toBe(1)
    expect(run.stdout).toBe('')
    expect(run.stderr).toMatch(/^ {2}✗ permissions: we may not get and list and watch pods → sliceflow rbac/m)
    expect(run.stderr).toContain('nothing was started, as a check of --preflight failed')
  })
})
