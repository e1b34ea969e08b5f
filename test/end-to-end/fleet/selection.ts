import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type ClusterProperty,
  type ClusterSelector,
  clusterProperties,
  LABEL_SOURCE_CLUSTER,
} from '../../../shared/fleet/index.ts'
import { NotFoundError } from '../../../shared/kubernetes/index.ts'
import { until } from '../scene.ts'
import { defineProperties, type FleetCluster } from './fleet-clusters.ts'
import { openFleetScene, type SceneMember, threeOf, untilImported } from './fleet-scene.ts'

const PROPERTIES = clusterProperties('v1')

/** Sets a property of a cluster, for the time of the test. */
async function setProperty(
  { client }: Pick<SceneMember, 'client'>,
  name: string,
  value: string,
): Promise<void> {
  const object: ClusterProperty = { metadata: { name }, spec: { value } }
  try {
    await client.patch(PROPERTIES, { name }, { spec: { value } })
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    await client.create(PROPERTIES, {
      apiVersion: 'about.k8s.io/v1',
      kind: 'ClusterProperty',
      ...object,
    } as object)
    onTestFinished(() => client.delete(PROPERTIES, { name }))
  }
}

/** Lists the addresses that serve the derived Service of a cluster, with their cluster. */
async function servingIn(member: SceneMember): Promise<string[]> {
  const serving = (await member.slices()).filter(
    ({ metadata }) => metadata?.labels?.['kubernetes.io/service-name'] !== undefined,
  )
  return serving
    .flatMap(({ metadata, endpoints }) =>
      (endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready !== false)
        .map(({ addresses }) => `${metadata?.labels?.[LABEL_SOURCE_CLUSTER]}/${addresses[0]}`),
    )
    .sort()
}

const untilServing = (member: SceneMember, addresses: readonly string[]) =>
  until(() => servingIn(member)).toEqual(addresses)

/** Describes imports that prefer clusters by their properties (KEP-5939). */
export function describeClusterSelection(open: () => readonly FleetCluster[]): void {
  describe('an import whose export selects clusters', () => {
    it('is served by the first selector’s clusters that have an endpoint, and follows properties and endpoints', async () => {
      for (const { client } of open()) await defineProperties(client)
      const scene = await openFleetScene(open())
      const { first, second, third } = threeOf(scene)
      const region = `region.${scene.namespace}`
      const here: ClusterSelector = {
        propertySelector: { matchProperties: { [region]: '@SameAsImporter@' } },
      }
      for (const [member, value] of [
        [first, 'eu'],
        [second, 'us'],
        [third, 'us'],
      ] as const)
        await setProperty(member, region, value)
      await first.addService({}, ['10.1.0.1'])
      await second.addService({}, ['10.2.0.1'])
      for (const member of [first, second]) await member.addExport({ clusterSelectors: [here] })
      const { letters } = await scene.start({ set: { clusterSelection: true } })

      const all = ['first/10.1.0.1', 'second/10.2.0.1']
      await untilImported(scene.members, all)
      await untilServing(first, ['first/10.1.0.1'])
      await untilServing(second, ['second/10.2.0.1'])
      await untilServing(third, ['second/10.2.0.1'])
      expect((await third.imported())?.status?.clusterSelectorResults).toEqual([{ clusters: ['second'] }])

      // The cluster moves to another region, and nothing else happens.
      await setProperty(third, region, 'eu')
      await untilServing(third, ['first/10.1.0.1'])
      await setProperty(third, region, 'us')
      await untilServing(third, ['second/10.2.0.1'])

      await second.publish([])
      await untilServing(third, ['first/10.1.0.1'])
      await second.publish(['10.2.0.1'])
      await untilServing(third, ['second/10.2.0.1'])
      await untilImported(scene.members, all)

      // Of Sliceflow's own writes none comes back as a change for ever.
      const versions = async () =>
        (await Promise.all(scene.members.map((member) => member.slices())))
          .flat()
          .map(({ metadata }) => metadata?.resourceVersion)
      const before = await versions()
      await pause(1_000)
      expect(await versions()).toEqual(before)
      expect(letters).toEqual([])
    })
  })
}
