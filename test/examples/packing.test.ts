import { expect, it } from 'vitest'
import { NODES, PODS, SERVICES } from '../../shared/kubernetes/index.ts'
import { parseSettings } from '../../shared/settings/index.ts'
import { until } from '../end-to-end/scene.ts'
import { startSliceflow } from '../end-to-end/sliceflow.ts'
import { createFakePods, makeNode, makePod, makeService } from '../support/world/index.ts'
import { startExampleCluster } from './cluster.ts'

const PODS_AT_FIRST = 20
const PODS_IN_THE_END = 4

it.each([
  ['compact', 1],
  ['upstream', 4],
] as const)(
  'a Service that is scaled down evenly with the packing %s ends with %i slices',
  async (packing, count) => {
    const { client, connection, slices } = await startExampleCluster('shop')
    const annotations = { 'sliceflow.dev/selector': 'app=web' }
    const pods = createFakePods(client)
    const names = Array.from({ length: PODS_AT_FIRST }, (_, index) => `web-${String(index).padStart(2, '0')}`)
    await client.create(NODES, makeNode())
    for (const [index, name] of names.entries()) await pods.start(makePod({ name }), [`10.1.0.${index}`])
    await client.create(SERVICES, makeService({ selector: null, annotations }))
    const settings = parseSettings({ packing, maxEndpointsPerSlice: 5, coalescingWindow: 0.05 })
    const { synced } = await startSliceflow([connection], settings)
    await synced

    const sizes = async (): Promise<number[]> =>
      (await slices('web')).map(({ endpoints }) => endpoints?.length ?? 0)
    const total = async (): Promise<number> => (await sizes()).reduce((sum, size) => sum + size, 0)
    await until(sizes).toEqual([5, 5, 5, 5])
    for (const [index, name] of names.entries()) {
      if (index % (PODS_AT_FIRST / PODS_IN_THE_END) === 0) continue
      await client.delete(PODS, { namespace: 'default', name }, { gracePeriodSeconds: 0 })
    }
    await until(total).toBe(PODS_IN_THE_END)
    await until(sizes).toHaveLength(count)
    expect(await total()).toBe(PODS_IN_THE_END)
  },
)
