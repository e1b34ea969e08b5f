import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Queues, startEmbeddedQueues } from '../../cli/local/index.ts'
import { ENDPOINT_SLICES, SERVICES } from '../../shared/kubernetes/index.ts'
import type { SettingsInput } from '../../shared/settings/index.ts'
import { openLoad } from './load.ts'
import { type OpenCluster, openScene, type Scene } from './scene.ts'
import { type Sliceflow, startSliceflow } from './sliceflow.ts'

const DELAY_SECONDS = 3
const WORKLOAD = { services: 6, podsPerService: 4 } as const
const ADDRESSES = 'sliceflow.dev/addresses'
/** A Service that stays unchanged, in the namespace of the test. */
const STEADY = 'steady'

/** Two regions: each has queues, functions and a relay of its own, and the second stands by. */
export function describeStandbyRegion(cluster: OpenCluster): void {
  describe('a standby in another region', () => {
    interface Regions {
      readonly scene: Scene
      readonly first: Sliceflow
      readonly queuesOfFirst: Queues
      readonly second: Sliceflow
      startFirst(): Promise<Sliceflow>
    }

    /** @param ofSecond settings that the standby has otherwise */
    async function openRegions(ofSecond: SettingsInput = {}): Promise<Regions> {
      const settings = { mode: 'custom', standbyDelay: DELAY_SECONDS, allowedAddresses: '*/*=10.9.0.0/16' }
      const scene = await openScene(cluster(), settings)
      const queuesOfFirst = await startEmbeddedQueues(scene.settings)
      onTestFinished(() => queuesOfFirst.stop())
      const startFirst = (): Promise<Sliceflow> =>
        startSliceflow([cluster().connection], scene.settings, { queues: queuesOfFirst })
      const standby = { ...scene.settings, relayStandby: true, ...ofSecond } as typeof scene.settings
      const first = await startFirst()
      const second = await startSliceflow([cluster().connection], standby)
      await Promise.all([first.synced, second.synced])
      return { scene, first, queuesOfFirst, second, startFirst }
    }

    async function createSteady({ client, namespace }: Scene): Promise<() => Promise<unknown>> {
      const metadata = { name: STEADY, namespace, annotations: { [ADDRESSES]: '10.9.0.1' } }
      await client.create(SERVICES, { metadata, spec: { ports: [{ port: 80 }] } })
      const labelSelector = `kubernetes.io/service-name=${STEADY}`
      const versions = async (): Promise<unknown> => {
        const { items } = await client.list(ENDPOINT_SLICES, { namespace, labelSelector })
        return items.map((slice) => [slice.metadata?.resourceVersion, slice.endpoints?.length])
      }
      await expect.poll(versions, { timeout: 45_000 }).toEqual([[expect.any(String), 1]])
      return versions
    }

    it('loses no key while queues, functions and then the relay of the first one are lost, and gives way when it is back', async () => {
      const regions = await openRegions()
      const { scene, first, second } = regions
      const steady = await createSteady(scene)
      const before = await steady()
      const workload = openLoad(scene, { ...WORKLOAD, seed: 911 })
      await workload.createAll()
      await workload.settle(45)
      const idle = second.sent

      // Its queues, and with them its functions; later its relay.
      const changes = workload.change({ rate: 15, seconds: 6 })
      await sleep(1_000)
      first.setQueuesDown(true)
      await sleep(2_000)
      const stopped = first.stop()
      await changes
      await stopped
      expect((await workload.settle(60)).differences).toEqual([])
      const taken = second.sent
      expect(taken).toBeGreaterThan(idle)

      // It returns with what was left in its queues, while changes go on.
      const back = await regions.startFirst()
      await back.synced
      await workload.change({ rate: 15, seconds: 4 })
      expect((await workload.settle(45)).differences).toEqual([])
      await sleep((DELAY_SECONDS + 1) * 1_000)
      expect(back.sent).toBeGreaterThan(20)
      expect(second.sent - taken).toBeLessThan(back.sent / 2)

      // What did not change was written by neither, and neither takes the other for another manager.
      expect(await steady()).toEqual(before)
      for (const { log } of [first, second, back])
        expect(log.filter(({ msg, err }) => ACCUSATION.test(`${msg} ${JSON.stringify(err)}`))).toEqual([])
    })

    it('loses no key where the first one is cut off from its queues alone, and sends what it had when they are back', async () => {
      const { scene, first, second } = await openRegions()
      const workload = openLoad(scene, { ...WORKLOAD, seed: 912 })
      await workload.createAll()
      first.setQueuesDown(true)
      await workload.change({ rate: 15, seconds: 4 })
      expect((await workload.settle(60)).differences).toEqual([])
      const written = second.outcomes.length
      first.setQueuesDown(false)
      await workload.change({ rate: 15, seconds: 3 })
      expect((await workload.settle(45)).differences).toEqual([])
      expect(written).toBeGreaterThan(0)
      expect(first.outcomes.length).toBeGreaterThan(0)
    })

    it('is noticed by its first audit where it has other settings that decide what is published', async () => {
      const { scene, second } = await openRegions({ refusedAddresses: '10.9.0.0/16' })
      await createSteady(scene)
      const key = { cluster: scene.cluster, namespace: scene.namespace, service: STEADY }
      await second.sendText(JSON.stringify({ v: 1, ...key, audit: true }))
      const findings = (): unknown => second.outcomes.filter(({ isFinding }) => isFinding).length
      await expect.poll(findings, { timeout: 45_000 }).toBe(1)
    })
  })
}

/** Words by which one says that another manager undoes what it writes. */
const ACCUSATION = /keeps undoing|another controller|another Sliceflow/
