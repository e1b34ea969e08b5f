import { describe, expect, it } from 'vitest'
import { LABEL_ZONE } from '../../shared/endpointslice/index.ts'
import { NODES } from '../../shared/kubernetes/index.ts'
import { makeNode } from '../support/world/index.ts'
import { numbered, type OpenCluster, openScene, type Scene, until } from './scene.ts'
import type { Sliceflow } from './sliceflow.ts'

interface Lost {
  readonly scene: Scene
  /** The node that is gone; every second pod is on it. */
  readonly name: string
  addNode(zone: string | null): Promise<unknown>
  zones(): Promise<(string | undefined)[]>
}

/** Opens a scene whose Service `web` has four pods, two of them on a node that is gone. */
async function openLost(cluster: OpenCluster, unready = false): Promise<Lost> {
  const scene = await openScene(cluster(), { mode: 'custom' })
  await scene.addPods(numbered('web', 4))
  await scene.addService('web', unready ? { spec: { publishNotReadyAddresses: true } } : {})
  const [name] = scene.nodes
  await scene.client.delete(NODES, { name })
  return {
    scene,
    name,
    addNode: (zone) => scene.client.create(NODES, makeNode({ name, zone })),
    zones: async () =>
      (await scene.slices('web'))
        .flatMap(({ endpoints }) => endpoints ?? [])
        .map(({ zone }) => zone)
        .sort(),
  }
}

const failuresOf = ({ log }: Sliceflow): unknown[] => log.filter(({ errorClass }) => errorClass !== undefined)

export function describeNodes(cluster: OpenCluster): void {
  describe('pods on a node that is gone', () => {
    it.each(['zone-a', null])(
      'are left out without a retry, and come back with it, its zone being %j',
      async (zone) => {
        const { scene, addNode, zones } = await openLost(cluster)
        const sliceflow = await scene.startRight()
        expect(await zones()).toEqual(['zone-b', 'zone-b'])
        expect(failuresOf(sliceflow)).toEqual([])

        await addNode(zone)

        await scene.untilRight()
        expect(await zones()).toHaveLength(4)
      },
    )

    it('come back with it after a restart, and when it came while Sliceflow was down', async () => {
      const { scene, name, addNode, zones } = await openLost(cluster)
      const first = await scene.startRight()
      await first.stop()

      const second = await scene.start()
      await until(() => second.outcomes.length).toBeGreaterThan(0)
      await addNode('zone-a')
      await scene.untilRight()
      expect(await zones()).toHaveLength(4)

      await scene.client.delete(NODES, { name })
      await until(zones).toHaveLength(2)
      await second.stop()
      await addNode('zone-c')
      await scene.startRight()
      expect(await zones()).toEqual(['zone-b', 'zone-b', 'zone-c', 'zone-c'])
    })

    it('are published without a zone where unready addresses are, and get it with the node', async () => {
      const { scene, addNode, zones } = await openLost(cluster, true)
      await scene.startRight()
      expect(await zones()).toHaveLength(4)
      expect((await zones()).filter((zone) => zone === undefined)).toHaveLength(2)

      await addNode('zone-a')

      await scene.untilRight()
      expect((await zones()).filter((zone) => zone === undefined)).toEqual([])
    })
  })

  describe('a node', () => {
    it('that loses its zone and gets another one takes its endpoints with it', async () => {
      const { scene, name, addNode, zones } = await openLost(cluster)
      await addNode('zone-a')
      await scene.startRight()
      const label = (zone: string | null) =>
        scene.client.patch(NODES, { name }, { metadata: { labels: { [LABEL_ZONE]: zone } } })

      await label(null)
      await until(async () => (await zones()).includes('zone-a')).toBe(false)
      await scene.untilRight()
      await label('zone-d')
      await scene.untilRight()

      expect(await zones()).toEqual(['zone-b', 'zone-b', 'zone-d', 'zone-d'])
    })
  })
}
