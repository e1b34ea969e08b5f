import { describe, expect, it } from 'vitest'
import { until } from '../scene.ts'
import type { FleetCluster } from './fleet-clusters.ts'
import { openFleetScene, threeOf, untilImported } from './fleet-scene.ts'

/** Sliceflows that end and begin again, with other clusters in the set or the same. */
export function describeRestarts(open: () => readonly FleetCluster[]): void {
  describe('a cluster that leaves the set', () => {
    it('has its imports removed, and gives its endpoints no more, until it is back', async () => {
      const scene = await openFleetScene(open())
      const { first, second, third } = threeOf(scene)
      await first.addService({}, ['10.1.0.1'])
      await first.addExport()
      await second.addService({}, ['10.2.0.1'])
      await second.addExport()
      const before = await scene.start()
      await untilImported(scene.members, ['first/10.1.0.1', 'second/10.2.0.1'])
      expect(before.followed.toSorted(), 'each cluster is followed once').toEqual(
        open()
          .map(({ name }) => name)
          .toSorted(),
      )
      await before.stop()
      const leaving = await scene.start({ roles: { second: 'leave' } })
      await untilImported([first, third], ['first/10.1.0.1'])
      await until(() => second.imported()).toBeUndefined()
      await until(() => second.derived()).toBeUndefined()
      expect(await second.slices()).toEqual([])
      await leaving.stop()
      await scene.start()
      await untilImported(scene.members, ['first/10.1.0.1', 'second/10.2.0.1'])
    })
  })
}
