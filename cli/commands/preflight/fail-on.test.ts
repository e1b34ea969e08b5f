import { afterAll, beforeAll, expect, it } from 'vitest'
import { withServer } from '../../../test/support/kubeconfig.ts'
import type { ClusterPreflight } from '../../preflight/index.ts'
import { runSliceflow } from '../../program.fixtures.ts'
import { type GuardedCluster, startGuardedCluster } from './preflight.fixtures.ts'

let cluster: GuardedCluster
beforeAll(async () => {
  cluster = await startGuardedCluster('eu-1')
})
afterAll(() => cluster.stop())

/** Checks contexts, of which `us-1` is down, and returns the exit code, the outcome and the last line. */
const check = (...flags: readonly string[]) => checkWith('https://127.0.0.1:1', flags)

/** @param server of `us-1` */
async function checkWith(server: string, flags: readonly string[]) {
  const other = withServer(cluster.adminText, server).replaceAll('eu-1', 'us-1')
  const files = await Promise.all([cluster.adminText, other].map(cluster.file))
  const command = ['preflight', ...files.flatMap((file) => ['--kubeconfig', file]), ...flags]
  const [text, json] = [await runSliceflow(...command), await runSliceflow(...command, '-o', 'json')]
  expect(json.code).toBe(text.code)
  return {
    code: text.code,
    outcome: JSON.parse(json.stdout).outcome,
    line: text.stdout.trimEnd().split('\n').at(-1),
    marks: JSON.parse(json.stdout).clusters.map(({ name, checks }: ClusterPreflight) => [
      name,
      checks.filter(({ mark }) => mark === 'failure').map(({ name: check, reason }) => `${check}: ${reason}`),
    ]),
  }
}

const BOTH = ['--context', 'eu-1', '--context', 'us-1'] as const

it('of two clusters, one that is down fails the checks', async () => {
  const failed = { code: 1, outcome: 'failure', line: 'run would fail' }
  expect(await check(...BOTH)).toMatchObject(failed)
  expect(await check(...BOTH, '--ignore-warnings')).toMatchObject(failed)
})

it('with --fail-on all it is a warning, unless no other one is left', async () => {
  const warned = { outcome: 'warning', line: 'run would work for 1 of 2 clusters' }
  expect(await check(...BOTH, '--fail-on', 'all')).toMatchObject({ code: 3, ...warned })
  const ignoring = ['--fail-on', 'all', '--ignore-warnings']
  expect(await check(...BOTH, ...ignoring)).toMatchObject({ code: 0, ...warned })
  expect(await check('--context', 'us-1', ...ignoring)).toMatchObject({ code: 1, outcome: 'failure' })
})

it('a context that cannot be used fails, whatever --fail-on says, and the others are checked', async () => {
  const report = await checkWith('http://us-1.example', [...BOTH, '--fail-on', 'all'])
  expect(report).toMatchObject({ code: 1, outcome: 'failure', line: 'run would fail' })
  expect(report.marks).toEqual([
    ['eu-1', []],
    ['us-1', [expect.stringMatching(/^kubeconfig: .*http:\/\/us-1\.example is not https/)]],
  ])
})
