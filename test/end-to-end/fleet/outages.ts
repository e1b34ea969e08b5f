import { describe, expect, it } from 'vitest'
import { CONDITION_UNREACHABLE } from '../../../shared/fleet/index.ts'
import { EVENTS } from '../../../shared/kubernetes/index.ts'
import { until } from '../scene.ts'
import type { FleetCluster } from './fleet-clusters.ts'
import { openFleetScene, type SceneMember, threeOf, untilImported } from './fleet-scene.ts'

/** Describes clusters of a set that cannot be reached for a while, and come back. */
export function describeOutages(open: () => readonly FleetCluster[]): void {
  /** Returns the condition of the import that tells of outages: since when, and what it says. */
  async function outageOf(member: SceneMember): Promise<readonly (string | undefined)[]> {
    const conditions = (await member.imported())?.status?.conditions ?? []
    return conditions.flatMap(({ type, lastTransitionTime, message }) =>
      type === CONDITION_UNREACHABLE ? [lastTransitionTime, message] : [],
    )
  }

  /** Returns the Events on the import: reason and message. */
  async function eventsOf(member: SceneMember): Promise<string[]> {
    const { namespace } = (await member.imported())?.metadata ?? {}
    const { items } = await member.client.list(EVENTS, { namespace })
    return items
      .filter(({ involvedObject }) => involvedObject.kind === 'ServiceImport')
      .map(({ reason, message }) => `${reason}: ${message}`)
      .sort()
  }

  describe('a cluster of the set that cannot be reached', () => {
    it('is reported on the imports that have its endpoints, once each time, and so is its end', async () => {
      const scene = await openFleetScene(open())
      const { first, second } = threeOf(scene)
      const { members: all } = scene
      const others = all.filter((member) => member !== second)
      const sliceflow = await scene.start({ set: { unreachable: { unreachableCluster: 'keep' } } })
      await first.addService({}, ['10.1.0.1'])
      await first.addExport()
      await second.addService({}, ['10.2.0.1'])
      await second.addExport()
      await untilImported(all, ['first/10.1.0.1', 'second/10.2.0.1'])
      await until(() => second.conditions()).toMatchObject({ Ready: 'True Exported' })
      second.setReachable(false)
      const began = 'ClusterUnreachable: cluster second cannot be read: its endpoints stay as they were'
      const ended = 'ClusterReachable: cluster second can be read again, or is no longer in the cluster set'
      await sliceflow.sync()
      for (const member of others) await until(() => eventsOf(member)).toEqual([began])
      const reported = await Promise.all(others.map(outageOf))
      for (const condition of reported)
        expect(condition).toEqual([
          expect.stringMatching(/^20.+Z$/),
          expect.stringMatching(/^second cannot be read since 20.+Z: its endpoints stay as they were$/),
        ])
      const before = sliceflow.failures.length
      for (let syncs = 0; syncs < 3; syncs++) await sliceflow.sync()
      await until(() => sliceflow.failures.length).toBeGreaterThan(before)
      expect(await Promise.all(others.map(outageOf)), 'it is written once').toEqual(reported)

      second.setReachable(true)
      for (const member of others) await until(() => eventsOf(member)).toEqual([ended, began])
      expect(await Promise.all(all.map(outageOf))).toEqual(all.map(() => []))
      second.setReachable(false)
      await sliceflow.sync()
      for (const member of others) await until(() => eventsOf(member)).toEqual([ended, began, began])
      expect(await eventsOf(second), 'it is not read for this').toEqual([])
    })
  })
}
