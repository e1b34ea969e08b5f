import { afterAll, beforeAll, expect, it } from 'vitest'
import { withServer } from '../../../test/support/kubeconfig.ts'
import type { PreflightReport } from '../../preflight/index.ts'
import { runSliceflow } from '../../program.fixtures.ts'
import { type GuardedCluster, startGuardedCluster } from './preflight.fixtures.ts'

let cluster: GuardedCluster
beforeAll(async () => {
  cluster = await startGuardedCluster('eu-1')
})
afterAll(() => cluster.stop())

/** Checks contexts. @param server of `us-1`, by default one that is down */
async function run(flags: readonly string[], server = 'https://127.0.0.1:1') {
  const other = withServer(cluster.adminText, server).replaceAll('eu-1', 'us-1')
  const files = await Promise.all([cluster.adminText, other].map(cluster.file))
  return runSliceflow('preflight', ...files.flatMap((file) => ['--kubeconfig', file]), ...flags)
}
const lineOf = async (...flags: readonly string[]): Promise<string | undefined> =>
  (await run(flags)).stdout.trimEnd().split('\n').at(-1)

async function check(flags: readonly string[], server?: string) {
  const { code, stdout } = await run([...flags, '-o', 'json'], server)
  const { outcome, clusters } = JSON.parse(stdout) as PreflightReport
  const marks = clusters.map(({ name, checks }) => [
    name,
    checks.filter(({ mark }) => mark === 'failure').map(({ name: check, reason }) => `${check}: ${reason}`),
  ])
  return { code, outcome, marks }
}

const BOTH = ['--context', 'eu-1', '--context', 'us-1'] as const

it('of two clusters, one that is down fails the checks', async () => {
  expect(await lineOf(...BOTH)).toBe('run would fail')
  expect(await check([...BOTH, '--ignore-warnings'])).toMatchObject({ code: 1, outcome: 'failure' })
})

it('with --fail-on all it is a warning, unless no other one is left', async () => {
  expect(await lineOf(...BOTH, '--fail-on', 'all')).toBe('run would work for 1 of 2 clusters')
  expect(await check([...BOTH, '--fail-on', 'all'])).toMatchObject({ code: 3, outcome: 'warning' })
  const ignoring = ['--fail-on', 'all', '--ignore-warnings']
  expect(await check([...BOTH, ...ignoring])).toMatchObject({ code: 0, outcome: 'warning' })
  expect(await check(['--context', 'us-1', ...ignoring])).toMatchObject({ code: 1, outcome: 'failure' })
})

it('a context that cannot be used fails, whatever --fail-on says, and the others are checked', async () => {
  const report = await check([...BOTH, '--fail-on', 'all'], 'http://us-1.example')
  expect(report).toMatchObject({ code: 1, outcome: 'failure' })
  expect(report.marks).toEqual([
    ['eu-1', []],
    ['us-1', [expect.stringMatching(/^kubeconfig: .*http:\/\/us-1\.example is not https/)]],
  ])
})
