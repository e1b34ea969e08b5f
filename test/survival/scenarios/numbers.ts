import { NODES } from '../../../shared/kubernetes/index.ts'
import { numbered } from '../../support/test-namespace.ts'
import { makeNode, makePod } from '../../support/world/index.ts'
import type { Scenario, Verdict } from '../scenario.ts'
import type { World } from '../world.ts'

const ZONES = ['a', 'b', 'c']

async function addZone({ client, namespace, pods }: World, zone: string): Promise<void> {
  const nodeName = `${namespace}-zone-${zone}`
  await client.create(NODES, makeNode({ name: nodeName, zone }))
  const start = (name: string, index: number): Promise<void> =>
    pods.start(makePod({ namespace, name, nodeName }), [`10.${ZONES.indexOf(zone) + 1}.0.${index + 1}`])
  await Promise.all(numbered(`web-${zone}`, 3).map(start))
}

async function removeZone({ client, namespace, pods }: World, zone: string): Promise<void> {
  await client.delete(NODES, { name: `${namespace}-zone-${zone}` })
  await Promise.all(numbered(`web-${zone}`, 3).map((name) => pods.finish({ namespace, name })))
}

/** Counts the Service's endpoints, and those that have a hint. */
async function hintsOf(world: World): Promise<{ hinted: number; total: number }> {
  const endpoints = (await world.slices('web')).flatMap((slice) => slice.endpoints ?? [])
  return { hinted: endpoints.filter(({ hints }) => hints?.forZones?.length).length, total: endpoints.length }
}

const allHinted = (world: World, expected: number) => async (): Promise<string[]> => {
  const { hinted, total } = await hintsOf(world)
  return hinted === expected && total === expected ? [] : [`${hinted} of ${total} endpoints have a hint`]
}

async function gauge(world: World, name: string): Promise<number> {
  const text = await world.subject.metrics()
  const line = text
    .split('\n')
    .find((candidate) => candidate.startsWith(`endpoint_slice_controller_${name} `))
  return Number(line?.split(' ')[1])
}

export const numbers: readonly Scenario[] = [
  {
    id: 'dual-stack-gauges',
    source: 'F6',
    sentence: 'The only Service is dual-stack and has 3 pods: the gauges tell of 2 slices and 6 endpoints.',
    alone: true,
    prepare: async () => {},
    async act(world) {
      const { namespace, nodes, pods } = world
      const start = (name: string, index: number): Promise<void> =>
        pods.start(makePod({ namespace, name, nodeName: nodes[0] }), [
          `10.1.0.${index}`,
          `fd00:10:1::${index + 1}`,
        ])
      await Promise.all(numbered('web', 3).map(start))
      await world.addService('web', { spec: { ipFamilyPolicy: 'RequireDualStack' } })
      await world.mustBeRight()
    },
    async assess(world): Promise<Verdict> {
      const read = async (): Promise<{ slices: number; endpoints: number }> => ({
        slices: await gauge(world, 'num_endpoint_slices'),
        endpoints: await gauge(world, 'endpoints_desired'),
      })
      const { isMet } = await world.until(async () => {
        const { slices, endpoints } = await read()
        return slices === 2 && endpoints === 6 ? [] : ['they are not right']
      }, 10)
      const { slices, endpoints } = await read()
      return { survived: isMet, observed: `told: ${slices} slices, ${endpoints} endpoints` }
    },
  },
  {
    id: 'hints-return',
    source: 'kubernetes/kubernetes#114215, #103888',
    sentence:
      'With topology-mode Auto in three zones, one zone is taken away and comes back: every endpoint has a hint again.',
    alone: true,
    async prepare(world) {
      for (const zone of ZONES) await addZone(world, zone)
      for (const name of world.nodes) await world.client.delete(NODES, { name })
      await world.addService('web', { annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } })
      const wait = await world.until(allHinted(world, 9))
      if (!wait.isMet) throw new Error(`could not be prepared: ${wait.problems[0]}`)
    },
    async act(world) {
      await removeZone(world, 'c')
      await world.untilRight()
      await addZone(world, 'c')
    },
    async assess(world) {
      const { isMet } = await world.until(allHinted(world, 9))
      const { hinted, total } = await hintsOf(world)
      for (const zone of ZONES) await removeZone(world, zone)
      return { survived: isMet, observed: `${hinted} of ${total} endpoints have a hint` }
    },
  },
]
