import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type EndpointSlice, LABEL_MANAGED_BY } from '../../shared/endpointslice/index.ts'
import { numbered, openScene, type Scene, until } from '../end-to-end/scene.ts'
import { readReasons } from '../end-to-end/service-events.ts'
import { IN_TREE_CONTROLLER } from '../support/workload.ts'
import { snapshotSlices } from '../support/world/index.ts'
import { type ControllerManager, startControllerManager } from './controller-manager.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'
import { clientOf, connectionOf } from './run-command.ts'

const OURS = 'sliceflow.dev'
const NAMES = numbered('web', 6)

let cluster: RealCluster
let controllers: ControllerManager

beforeAll(async () => {
  cluster = await startRealCluster('leftovers')
  controllers = await startControllerManager({
    kubeconfig: cluster.server.kubeconfig.path,
    controllers: ['endpointslice-controller'],
  })
})
afterAll(async () => {
  await controllers?.stop()
  await cluster?.stop()
})

/** Opens six Services that the in-tree controller serves. */
async function openServices(managedBy: string): Promise<Scene> {
  const client = await clientOf(cluster.admin)
  const connection = await connectionOf(cluster.user)
  const { setPodsReadable } = cluster
  const opened = { name: connection.name, client, connection, setPodsReadable }
  const scene = await openScene(opened, { mode: 'replace', managedBy, sweepInterval: 10 })
  await scene.addPods(numbered('pod', 3), { labels: { app: 'web' } })
  for (const name of NAMES) await scene.addService(name, { selector: { app: 'web' } })
  await until(async () => (await slicesOf(scene, IN_TREE_CONTROLLER)).map(endpointsIn)).toEqual(
    NAMES.map(() => 3),
  )
  return scene
}

const slicesOf = async ({ slices }: Scene, managedBy: string): Promise<EndpointSlice[]> =>
  (await slices()).filter(({ metadata }) => metadata?.labels?.[LABEL_MANAGED_BY] === managedBy)
const endpointsIn = ({ endpoints }: EndpointSlice): number => endpoints?.length ?? 0

describe('beside the in-tree controller, a Sliceflow in custom mode', () => {
  it('leaves its slices untouched, even if a program gives it their managed-by value', async () => {
    const scene = await openServices(IN_TREE_CONTROLLER)
    const before = snapshotSlices(await scene.slices())

    const { outcomes } = await scene.start({ mode: 'custom' })

    await until(() => new Set(outcomes.map(({ key }) => key.service)).isSupersetOf(new Set(NAMES))).toBe(true)
    expect(before.size).toBe(NAMES.length)
    expect(snapshotSlices(await scene.slices())).toEqual(before)
  })

  it('keeps it while that controller publishes less, and until it publishes it all', async () => {
    const scene = await openServices(OURS)
    process.kill(controllers.pid, 'SIGSTOP')
    onTestFinished(() => void process.kill(controllers.pid, 'SIGCONT'))
    await scene.addPods(['late'], { labels: { app: 'web' } })
    const replacing = await scene.start()
    await scene.untilRight()
    await replacing.stop()

    await scene.start({ mode: 'custom' })
    await until(() => readReasons(scene)).toContain('PlanHeld')
    expect((await slicesOf(scene, OURS)).map(endpointsIn)).toEqual(NAMES.map(() => 4))

    process.kill(controllers.pid, 'SIGCONT')
    await until(() => slicesOf(scene, OURS)).toEqual([])
    expect((await slicesOf(scene, IN_TREE_CONTROLLER)).map(endpointsIn)).toEqual(NAMES.map(() => 4))
  })
})
