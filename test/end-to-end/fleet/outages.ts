import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { ClusterSet } from '../../../shared/cluster-sets/index.ts'
import { CONDITION_UNREACHABLE } from '../../../shared/fleet/index.ts'
import { ENDPOINT_SLICES, EVENTS } from '../../../shared/kubernetes/index.ts'
import { ANNOTATION_UNVERIFIED_SINCE, sealNotes } from '../../../shared/reconciler/index.ts'
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
const LONG_AGO = '2001-01-01T00:00:00.000Z'

/** Describes clusters of a set that cannot be reached for a while, and come back. */
export function describeOutages(open: () => readonly FleetCluster[]): void {
  interface Outage {
    readonly first: SceneMember
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
    return { first, second, all: scene.members, others, sliceflow }
  }

  const notesOf = async (member: SceneMember): Promise<unknown[]> =>
    (await member.slices()).flatMap(
      ({ metadata }) => metadata?.annotations?.[ANNOTATION_UNVERIFIED_SINCE] ?? [],
    )

  /** Writes the note that a function would have written long ago; keys that fail go on writing meanwhile. */
  async function noteLongAgo({ client, slices }: SceneMember): Promise<void> {
    for (const slice of await slices()) {
      const { annotations = {} } = slice.metadata ?? {}
      if (annotations[ANNOTATION_UNVERIFIED_SINCE] === undefined) continue
      const noted = { ...annotations, [ANNOTATION_UNVERIFIED_SINCE]: LONG_AGO }
      await client.update(
        ENDPOINT_SLICES,
        sealNotes({ ...slice, metadata: { ...slice.metadata, annotations: noted } }),
      )
    }
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

    it('keeps its endpoints in the others, which follow what changes elsewhere, and has all of it once it is back', async () => {
      const { first, second, all, others } = await openOutage({ unreachableCluster: 'keep' })
      await first.publish(['10.1.0.9'])
      await untilImported(others, ['first/10.1.0.9', 'second/10.2.0.1'])
      expect(await second.addresses()).toEqual(['first/10.1.0.1', 'second/10.2.0.1'])
      await second.publish(['10.2.0.9'])
      second.setReachable(true)
      await untilImported(all, ['first/10.1.0.9', 'second/10.2.0.9'])
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
      expect(sliceflow.deadLetters).toEqual([])
    })

    it('has a note on them where they expire, which goes once it is back', async () => {
      const { second, all, others, sliceflow } = await openOutage({ unreachableCluster: 'expire' })
      await sliceflow.sync()
      for (const member of others)
        await until(() => notesOf(member)).toEqual([expect.stringMatching(/^20.+Z$/)])
      const noted = await Promise.all(others.map(notesOf))
      for (let syncs = 0; syncs < 3; syncs++) await sliceflow.sync()
      await pause(QUIET_MS)
      expect(await Promise.all(others.map(notesOf)), 'they are written once').toEqual(noted)
      await untilImported(others, ['first/10.1.0.1', 'second/10.2.0.1'])
      second.setReachable(true)
      for (const member of all) await until(() => notesOf(member)).toEqual([])
      await untilImported(all, ['first/10.1.0.1', 'second/10.2.0.1'])
    })

    it('loses them where the note is older than the expiry, and gets them again', async () => {
      const { second, all, others, sliceflow } = await openOutage({ unreachableCluster: 'expire' })
      await sliceflow.sync()
      for (const member of others) await until(async () => (await notesOf(member)).length).toBe(1)
      for (const member of others) await vi.waitFor(() => noteLongAgo(member))
      await sliceflow.sync()
      await untilImported(others, ['first/10.1.0.1'])
      second.setReachable(true)
      await untilImported(all, ['first/10.1.0.1', 'second/10.2.0.1'])
    })

    it('takes the import along where the set drops its endpoints and nobody else exports it', async () => {
      const { first, second, others, all, sliceflow } = await openOutage({ unreachableCluster: 'drop' })
      await first.removeExport()
      for (const member of others) await until(() => member.imported()).toBeUndefined()
      await sliceflow.sync()
      expect(await second.addresses()).toEqual(['first/10.1.0.1', 'second/10.2.0.1'])
      second.setReachable(true)
      await untilImported(all, ['second/10.2.0.1'])
    })

    it('at the start holds up nothing in the others, and takes part once it is there', async () => {
      const scene = await openFleetScene(open())
      const { first, second } = threeOf(scene)
      await first.addService({}, ['10.1.0.1'])
      await first.addExport()
      await second.addService({}, ['10.2.0.1'])
      await second.addExport()
      second.setReachable(false)
      await scene.start({ waits: false })
      await untilImported(
        scene.members.filter((member) => member !== second),
        ['first/10.1.0.1'],
      )
      second.setReachable(true)
      await untilImported(scene.members, ['first/10.1.0.1', 'second/10.2.0.1'])
    })
  })
}
