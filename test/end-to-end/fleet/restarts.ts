import { describe, expect, it } from 'vitest'
import { until } from '../scene.ts'
import type { FleetCluster } from './fleet-clusters.ts'
import { type FleetScene, openFleetScene, untilImported } from './fleet-scene.ts'

/** Sliceflows that end and begin again, with other clusters in the set or the same. */
export function describeRestarts(open: () => readonly FleetCluster[]): void {
  /** Opens a scene in which the first two clusters export, with these endpoints. */
  async function openExports(): Promise<FleetScene> {
    const scene = await openFleetScene(open())
    const [first, second] = scene.members
    await first?.addService({}, ['10.1.0.1'])
    await first?.addExport()
    await second?.addService({}, ['10.2.0.1'])
    await second?.addExport()
    return scene
  }

  it('a Sliceflow reports each cluster of a set once as followed', async () => {
    const scene = await openExports()
    const { synced } = await scene.start()
    await untilImported(scene.members, ['first/10.1.0.1', 'second/10.2.0.1'])
    expect(synced.toSorted()).toEqual(
      open()
        .map(({ name }) => name)
        .toSorted(),
    )
  })

  describe('a cluster that leaves the set', () => {
    it('has its imports removed, and gives its endpoints no more, until it is back', async () => {
      const scene = await openExports()
      const [first, second, ...others] = scene.members
      if (first === undefined || second === undefined) throw new Error('two clusters are needed')
      const before = await scene.start()
      await untilImported(scene.members, ['first/10.1.0.1', 'second/10.2.0.1'])
      await before.stop()
      const leaving = await scene.start({ roles: { second: 'leave' } })
      await untilImported([first, ...others], ['first/10.1.0.1'])
      await until(() => second.imported()).toBeUndefined()
      await until(() => second.derived()).toBeUndefined()
      expect(await second.slices()).toEqual([])
      await leaving.stop()
      await scene.start()
      await untilImported(scene.members, ['first/10.1.0.1', 'second/10.2.0.1'])
    })
  })
}
