import { describe, expect, it, onTestFinished } from 'vitest'
import { createFakePods, makeNode, makePod, makeService } from '../../functions/demo/world/index.ts'
import {
  type ApiClient,
  ENDPOINT_SLICES,
  NAMESPACES,
  NODES,
  SERVICES,
} from '../../shared/kubernetes/index.ts'
import { startEmbeddedCluster } from '../end-to-end/embedded-cluster.ts'
import { mergeKubeconfigs, serverOf, withServer } from '../support/kubeconfig.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { createWorkload } from '../support/workload.ts'
import { startRealCluster } from './end-to-end-cluster.ts'
import { freePort } from './free-port.ts'
import { clientOf, startRun, writeFileForTest } from './run-command.ts'

const SETTLE_SECONDS = 90
/**
 * A change of the healthy cluster must be in its slices by then, also on a busy machine, whatever the others
 * do; the frozen one is so all the while.
 */
const PROMPT_SECONDS = 30
const PROBES = 20

describe('sliceflow run on three clusters', () => {
  it('keeps the healthy one prompt while one is frozen and one cannot be reached, and makes all right in the end', async () => {
    const [healthy, frozen, far] = await Promise.all([
      openCluster('healthy', startEmbeddedCluster),
      openCluster('frozen', startRealCluster),
      openCluster('far', startEmbeddedCluster),
    ])
    const door = await freePort()
    const farUser = withServer(far.user, `https://127.0.0.1:${door}`)
    const kubeconfig = await writeFileForTest(
      'kubeconfig',
      mergeKubeconfigs([healthy.user, frozen.user, farUser]),
    )
    const loads = await Promise.all(
      [healthy, frozen, far].map(async ({ admin }, index) =>
        createWorkload({ client: await clientOf(admin), services: 10, podsPerService: 3, seed: index + 1 }),
      ),
    )
    const [healthyLoad, frozenLoad, farLoad] = loads
    const run = startRun(kubeconfig, ...['healthy', 'frozen', 'far'].flatMap((name) => ['--context', name]))
    await Promise.all(loads.map((load) => load.createAll()))
    expect((await healthyLoad?.settle(SETTLE_SECONDS))?.differences).toEqual([])
    expect((await frozenLoad?.settle(SETTLE_SECONDS))?.differences).toEqual([])

    const changes = frozenLoad?.change({ rate: 10, seconds: 5 })
    await frozen.server.kill('SIGSTOP')
    const prober = await openProber(await clientOf(healthy.admin))
    for (let probe = 0; probe < PROBES; probe++) {
      await prober.flip()
      expect(await prober.untilSeen()).toBeLessThan(PROMPT_SECONDS)
    }
    await frozen.server.kill('SIGCONT')
    await changes
    await healthyLoad?.change({ rate: 20, seconds: 2 })

    expect((await healthyLoad?.settle(PROMPT_SECONDS))?.differences).toEqual([])
    expect((await frozenLoad?.settle(SETTLE_SECONDS))?.differences).toEqual([])
    expect(run.stdout).toBe('')
    await openDoor(door, serverOf(far.admin))
    await run.ready
    expect((await farLoad?.settle(SETTLE_SECONDS))?.differences).toEqual([])
  })
})

async function openCluster<T extends { stop(): Promise<void> }>(
  name: string,
  start: (name: string) => Promise<T>,
): Promise<T> {
  const cluster = await start(name)
  onTestFinished(() => cluster.stop())
  return cluster
}

/** Lets connections to the port through to the server from now on. */
async function openDoor(port: number, { hostname, port: target }: URL): Promise<void> {
  const door = await startTcpProxy({ port, target: { hostname, port: Number(target) } })
  onTestFinished(() => door.close())
}

interface Prober {
  /** Makes its pod ready or unready in turn. */
  flip(): Promise<void>
  /** Resolves when the slice says so, too, to the seconds that it took. */
  untilSeen(): Promise<number>
}

async function openProber(client: ApiClient): Promise<Prober> {
  const namespace = 'probe'
  const pods = createFakePods(client)
  let ready = true
  await client.create(NAMESPACES, { metadata: { name: namespace } })
  await client.create(NODES, makeNode({ name: 'probe-node' }))
  const annotations = { 'sliceflow.dev/selector': 'app=web' }
  await client.create(SERVICES, makeService({ namespace, selector: null, annotations }))
  await pods.start(makePod({ namespace, nodeName: 'probe-node' }), ['10.3.0.1'])
  return {
    async flip() {
      ready = !ready
      await pods.setReady({ namespace, name: 'web-1' }, ready)
    },
    async untilSeen() {
      const started = performance.now()
      const isSeen = async (): Promise<boolean> => {
        const { items } = await client.list(ENDPOINT_SLICES, { namespace })
        return items[0]?.endpoints?.[0]?.conditions?.ready === ready
      }
      await expect.poll(isSeen, { timeout: PROMPT_SECONDS * 1000, interval: 20 }).toBe(true)
      return (performance.now() - started) / 1000
    },
  }
}
