import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { LABEL_ZONE } from '../../shared/endpointslice/index.ts'
import { type ApiClient, NAMESPACES, NODES, PODS } from '../../shared/kubernetes/index.ts'
import type { Settings } from '../../shared/settings/index.ts'
import { openFleetScene } from '../end-to-end/fleet/fleet-scene.ts'
import { openScene, type Scene } from '../end-to-end/scene.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'
import { useRealFleet } from './real-fleet.ts'
import { clientOf, connectionOf } from './run-command.ts'

/** One sweep, and what a busy machine takes for the syncs and writes after it. */
const SWEEP = 10
const SETTLE_MS = (SWEEP + 10) * 1000
/** Unrelated writes, so that a restored server has versions below those that were seen. */
const OTHER_WRITES = 200

let cluster: RealCluster

beforeAll(async () => {
  cluster = await startRealCluster('restored')
})
afterAll(() => cluster?.stop())

async function open(): Promise<Scene> {
  const client = await clientOf(cluster.admin)
  const connection = await connectionOf(cluster.user)
  return openScene({ name: connection.name, client, connection }, { mode: 'replace', sweepInterval: SWEEP })
}

const stateDir = (): Partial<Settings> => ({ stateDir: temporaryFolder() })

async function writeOthers(client: ApiClient): Promise<void> {
  for (let index = 0; index < OTHER_WRITES; index++)
    await client.patch(NAMESPACES, { name: 'default' }, { metadata: { labels: { other: `${index}` } } })
}

const moveNode = ({ client, nodes }: Scene, zone: string): Promise<unknown> =>
  client.patch(NODES, { name: nodes[0] }, { metadata: { labels: { [LABEL_ZONE]: zone } } })

const removePod = ({ client, namespace }: Scene, name: string): Promise<unknown> =>
  client.delete(PODS, { namespace, name }, { gracePeriodSeconds: 0 })

const setPort = (scene: Scene, port: number): Promise<void> =>
  scene.patchService('web', { spec: { ports: [{ name: 'http', port: 80, targetPort: port }] } })

/** Makes changes of every kind whose result the slices show. */
async function change(scene: Scene, { zone, port, pods }: Story): Promise<void> {
  await moveNode(scene, zone)
  await setPort(scene, port)
  await removePod(scene, pods.gone)
  await scene.addPods([pods.added], { labels: { app: 'web' } })
}

interface Story {
  readonly zone: string
  readonly port: number
  readonly pods: { readonly gone: string; readonly added: string }
}

const LOST: Story = { zone: 'zone-lost', port: 8001, pods: { gone: 'pod-1', added: 'lost' } }
const NEW: Story = { zone: 'zone-new', port: 8002, pods: { gone: 'pod-2', added: 'new' } }
const NEWER: Story = { zone: 'zone-newer', port: 8003, pods: { gone: 'pod-3', added: 'newer' } }

const CASES = [
  { relay: 'running', checkpoint: 'no checkpoint' },
  { relay: 'down', checkpoint: 'a checkpoint' },
] as const

describe('an API server that was restored from a backup', () => {
  it.each(CASES)(
    'is followed within a sweep, with the relay $relay meanwhile and $checkpoint',
    async (given) => {
      const scene = await open()
      const changed = given.checkpoint === 'a checkpoint' ? stateDir() : {}
      await scene.addPods(['pod-0', 'pod-1', 'pod-2', 'pod-3'], { labels: { app: 'web' } })
      await scene.addService('web', { selector: { app: 'web' } })
      const first = await scene.start(changed)
      await scene.untilRight()
      await cluster.server.snapshot()
      await writeOthers(scene.client)
      await change(scene, LOST)
      await scene.untilRight()
      if (given.relay === 'down') await first.stop()

      await cluster.server.setBack()
      if (given.relay === 'down') await scene.start(changed)
      await scene.untilRight(SETTLE_MS)
      await change(scene, NEW)
      await scene.untilRight(SETTLE_MS)
      // What was cached before the restore has versions that the server reaches only now.
      await writeOthers(scene.client)
      await change(scene, NEWER)
      await scene.untilRight(SETTLE_MS)
    },
  )

  it('is followed when it has passed the versions that were seen before anybody reads it', async () => {
    const scene = await open()
    await scene.addPods(['pod-0', 'pod-1', 'pod-2', 'pod-3'], { labels: { app: 'web' } })
    await scene.addService('web', { selector: { app: 'web' } })
    await scene.start()
    await scene.untilRight()
    await cluster.server.snapshot()
    await change(scene, LOST)
    await scene.untilRight()

    // The administrator is faster than the watches, which back off meanwhile.
    await cluster.server.setBack()
    await change(scene, NEW)
    await writeOthers(scene.client)

    await scene.untilRight(SETTLE_MS)
  })
})

describe('a member of a cluster set that was restored from a backup', () => {
  const fleet = useRealFleet(['first', 'second'])

  it.each(CASES)(
    'is imported as it is within a sweep, with the relay $relay meanwhile and $checkpoint',
    async (given) => {
      const changed = given.checkpoint === 'a checkpoint' ? stateDir() : {}
      const scene = await openFleetScene(fleet.clusters)
      const [first, second] = [scene.member('first'), scene.member('second')]
      const { server } = fleet.serverOf('first')
      const start = (waits: boolean) =>
        scene.start({
          settings: { sweepInterval: SWEEP, ...changed },
          roles: { first: 'export', second: 'import' },
          waits,
        })
      /** Changes all that an import shows, and waits until it does. */
      const publish = async (port: number, addresses: readonly string[]): Promise<void> => {
        await first.patchService({ spec: { ports: [{ name: 'tcp', port, targetPort: 8042 }] } })
        await first.publish(addresses)
        await untilShown(port, addresses)
      }
      const untilShown = async (port: number, addresses: readonly string[]): Promise<void> => {
        const expected = { ports: [port], addresses: addresses.map((address) => `first/${address}`) }
        const shown = async () => ({
          ports: (await second.imported())?.spec?.ports?.map((each) => each.port),
          addresses: await second.addresses(),
        })
        await vi.waitFor(async () => expect(await shown()).toEqual(expected), { timeout: SETTLE_MS })
      }

      const before = await start(true)
      await first.addService({ ports: [{ name: 'tcp', port: 80, targetPort: 8042 }] }, ['10.1.0.1'])
      await first.addExport()
      await untilShown(80, ['10.1.0.1'])
      await server.snapshot()
      await writeOthers(first.client)
      await publish(8001, ['10.1.0.2', '10.1.0.3'])
      if (given.relay === 'down') await before.stop()

      await server.setBack()
      if (given.relay === 'down') await start(false)
      await untilShown(80, ['10.1.0.1'])
      await publish(8002, ['10.1.0.4'])
      await writeOthers(first.client)
      await publish(8003, ['10.1.0.1', '10.1.0.5'])
    },
  )
})
