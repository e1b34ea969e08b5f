import { describe, expect, it } from 'vitest'
import { ANNOTATION_RELEASE } from '../../../shared/changes/index.ts'
import { serviceImports } from '../../../shared/fleet/index.ts'
import { EVENTS } from '../../../shared/kubernetes/index.ts'
import { ANNOTATION_HELD_SINCE } from '../../../shared/reconciler/index.ts'
import { until } from '../scene.ts'
import type { FleetCluster } from './fleet-clusters.ts'
import { openFleetScene, type SceneMember, threeOf, untilImported } from './fleet-scene.ts'

const IMPORTED = ['first/10.1.0.1', 'first/10.1.0.2']

/** Returns the reasons of the Events on the import. */
async function reasonsOf({ client, imported }: SceneMember): Promise<string[]> {
  const { namespace } = (await imported())?.metadata ?? {}
  const { items } = await client.list(EVENTS, { namespace })
  return items
    .filter(({ involvedObject }) => involvedObject.kind === 'ServiceImport')
    .map(({ reason = '' }) => reason)
    .toSorted()
}

/** Writes on the import what `sliceflow release --fleet` does. */
async function release({ client, imported, slices }: SceneMember): Promise<void> {
  const { namespace, name = '' } = (await imported())?.metadata ?? {}
  const [since] = (await slices()).flatMap(
    ({ metadata }) => metadata?.annotations?.[ANNOTATION_HELD_SINCE] ?? [],
  )
  const patch = { metadata: { annotations: { [ANNOTATION_RELEASE]: since } } }
  await client.patch(serviceImports('v1beta1'), { namespace, name }, patch)
}

/** Describes imports whose plan would remove more than it may. */
export function describeHolds(open: () => readonly FleetCluster[]): void {
  describe('an import that would lose too many endpoints', () => {
    it('is held in each cluster, reported there, and released in one without the others', async () => {
      const scene = await openFleetScene(open())
      const { first, second, third } = threeOf(scene)
      await first.addService({}, ['10.1.0.1', '10.1.0.2'])
      await first.addExport()
      const { deadLetters } = await scene.start({ settings: { maximumRemoval: 0.5, maximumRemovalCount: 0 } })
      await untilImported(scene.members, IMPORTED)
      await first.publish([])
      for (const member of scene.members) await until(() => reasonsOf(member)).toEqual(['PlanHeld'])

      await release(second)
      await untilImported([second], [])
      await until(() => reasonsOf(second)).toEqual(['PlanHeld', 'PlanReleased'])
      expect(await Promise.all([first, third].map((member) => member.addresses()))).toEqual([
        IMPORTED,
        IMPORTED,
      ])
      expect(deadLetters).toEqual([])
    })
  })
}
