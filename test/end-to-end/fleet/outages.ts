import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { ClusterSet } from '../../../shared/cluster-sets/index.ts'
import { CONDITION_UNREACHABLE } from '../../../shared/fleet/index.ts'
import { EVENTS } from '../../../shared/kubernetes/index.ts'
import { until } from '../scene.ts'
import type { FleetCluster } from './fleet-clusters.ts'
import {
  type FleetSliceflow,
  openFleetScene,
  type SceneMember,
  threeOf,
  untilImported,
} from './fleet-scene.ts'

/** Long enough for what ought not to be written. */
const QUIET_MS = 1_000

/** Describes clusters of a set that cannot be reached for a while, and come back. */
export function describeOutages(open: () => readonly FleetCluster[]): void {
  interface Outage {
    readonly second: SceneMember
    readonly all: readonly SceneMember[]
    /** All but the second. */
    readonly others: readonly SceneMember[]
    readonly sliceflow: FleetSliceflow
  }

  /** Opens a scene in which the first two clusters export, and then the second one is unreachable. */
  async function openOutage(unreachable: ClusterSet['unreachable']): Promise<Outage> {
    const scene = await openFleetScene(open())
    const { first, second } = threeOf(scene)
    const sliceflow = await scene.start({ set: { unreachable } })
    await first.addService({}, ['10.1.0.1'])
    await first.addExport()
    await second.addService({}, ['10.2.0.1'])
    await second.addExport()
    await untilImported(scene.members, ['first/10.1.0.1', 'second/10.2.0.1'])
    await until(() => second.conditions()).toMatchObject({ Ready: 'True Exported' })
    second.setReachable(false)
    const others = scene.members.filter((member) => member !== second)
    return { second, all: scene.members, others, sliceflow }
  }

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
      const { second, all, others, sliceflow } = await openOutage({ unreachableCluster: 'keep' })
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

    it('loses them in the others where the set drops them, and gets them again', async () => {
      const { second, all, others, sliceflow } = await openOutage({ unreachableCluster: 'drop' })
      await sliceflow.sync()
      await untilImported(others, ['first/10.1.0.1'])
      for (const member of others)
        await until(async () => (await member.imported())?.status?.clusters).toEqual([{ cluster: 'first' }])
      await sliceflow.sync()
      await pause(QUIET_MS)
      for (const member of others) {
        expect((await outageOf(member))[1]).toMatch(
          /^second cannot be read since 20.+Z: its endpoints are left out$/,
        )
        expect(await eventsOf(member)).toHaveLength(1)
      }
      second.setReachable(true)
      await untilImported(all, ['first/10.1.0.1', 'second/10.2.0.1'])
      for (const member of all)
        await until(async () => (await member.imported())?.status?.clusters).toEqual([
          { cluster: 'first' },
          { cluster: 'second' },
        ])
      expect(sliceflow.letters).toEqual([])
    })
  })
}
