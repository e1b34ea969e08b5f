import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestCluster } from '../end-to-end/cluster.ts'
import { startEmbeddedCluster } from '../end-to-end/embedded-cluster.ts'
import { withServer } from '../support/kubeconfig.ts'
import { startRun, writeFileForTest } from './run-command.ts'

let cluster: TestCluster

beforeAll(async () => {
  cluster = await startEmbeddedCluster('eu-1')
})
afterAll(() => cluster?.stop())

const linesOf = (text: string): string[] => text.trimEnd().split('\n')

it('sliceflow run fails in one line when there is no queue', async () => {
  const file = await writeFileForTest('kubeconfig', cluster.user)
  const run = startRun(file, '--queue', 'http://127.0.0.1:1/000000000000/live')

  expect(await run.ended).toBe(1)
  expect(linesOf(run.stderr)).toEqual([expect.stringMatching(/^sliceflow: failed to open queue http/)])
})

describe('sliceflow run, not let in', () => {
  it.each([
    ['refuses connections', () => withServer(cluster.user, 'https://127.0.0.1:1'), 'ECONNREFUSED'],
    [
      'does not know the token',
      () => cluster.user.replace(/token: .*/, 'token: wrong'),
      'check the token or certificate',
    ],
    ['forbids to list pods', () => cluster.user, 'cannot list resource "pods"'],
  ])('says once that the server %s, goes on trying, and ends well', async (what, kubeconfig, expected) => {
    if (what.startsWith('forbids')) await cluster.setPodsReadable(false)
    const run = startRun(await writeFileForTest('kubeconfig', kubeconfig()))
    await expect.poll(() => run.stderr).toContain(expected)
    // Two more tries, as the back-off doubles from half a second.
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    run.kill('SIGTERM')

    expect(await run.ended).toBe(0)
    const lines = linesOf(run.stderr)
    expect(lines.filter((line) => line.includes(expected))).toHaveLength(1)
    expect(lines.find((line) => line.includes(expected))).toMatch(/ warn {2}cannot follow the cluster/)
    expect(lines.filter((line) => line.includes('wrong'))).toEqual([])
    expect(run.stdout).toBe('')
  })

  it('goes on by itself when the permission is granted', async () => {
    await cluster.setPodsReadable(false)
    const run = startRun(await writeFileForTest('kubeconfig', cluster.user))
    await expect.poll(() => run.stderr).toContain('cannot list resource "pods"')
    await cluster.setPodsReadable(true)

    await run.ready

    expect(run.stderr).toContain('watching the cluster again')
  })
})
