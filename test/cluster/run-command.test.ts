import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorkload, IN_TREE_CONTROLLER, type Workload } from '../support/workload.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'
import { clientOf, startRun, writeFileForTest } from './run-command.ts'

const REPLACE = ['--mode', 'replace', '--managed-by', IN_TREE_CONTROLLER]
const SETTLE_SECONDS = 90
/** Time within which the command promises to end. */
const END_MS = 10_000

describe('sliceflow run on the real API server', () => {
  let cluster: RealCluster
  let seed = 100

  beforeAll(async () => {
    cluster = await startRealCluster('real')
  })
  afterAll(() => cluster?.stop())

  async function openLoad(services: number): Promise<Workload> {
    const client = await clientOf(cluster.admin)
    return createWorkload({
      client,
      services,
      podsPerService: 5,
      seed: ++seed,
      settings: { mode: 'replace', managedBy: IN_TREE_CONTROLLER },
    })
  }

  const start = async () => startRun(await writeFileForTest('kubeconfig', cluster.user), ...REPLACE)

  it('makes every slice right under load, in place of the in-tree controller, and touches no other', async () => {
    const load = await openLoad(60)
    const run = await start()
    await run.ready
    await load.createAll()
    await load.change({ rate: 30, seconds: 8 })

    expect((await load.settle(SETTLE_SECONDS)).differences).toEqual([])
    expect(run.stdout).toBe('ready: following 1 cluster: real\n')
    run.kill('SIGINT')
    expect(await run.ended).toBe(0)
  })

  it('ended by SIGTERM in the middle of load, it makes everything right when it is started again', async () => {
    const load = await openLoad(20)
    const first = await start()
    await first.ready
    await load.createAll()
    const changes = load.change({ rate: 30, seconds: 4 })
    await expect.poll(() => first.stderr).toContain('wrote slices')

    const asked = performance.now()
    first.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    expect(performance.now() - asked).toBeLessThan(END_MS)
    await changes
    const second = await start()
    await second.ready

    expect((await load.settle(SETTLE_SECONDS)).differences).toEqual([])
  })
})
