import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { until } from '../scene.ts'
import type { FleetCluster } from './fleet-clusters.ts'
import { type FleetScene, openFleetScene, type SceneMember, threeOf, untilImported } from './fleet-scene.ts'

const POLICY = 'sliceflow.dev/fleet-policy'
/** Long enough for what ought not to be written. */
const QUIET_MS = 1_000

/**
 * Describes imports that leave endpoints out by a policy. The first of two exports is the oldest; the third
 * cluster has none.
 */
export function describePolicies(open: () => readonly FleetCluster[]): void {
  interface Fleet {
    readonly scene: FleetScene
    readonly first: SceneMember
    readonly second: SceneMember
    readonly third: SceneMember
  }

  const FIRST = ['10.1.0.1', '10.1.0.2', '10.1.0.3']
  const SECOND = ['10.2.0.1', '10.2.0.2']
  const OF_FIRST = FIRST.map((address) => `first/${address}`)
  const OF_SECOND = SECOND.map((address) => `second/${address}`)

  async function openFleet(): Promise<Fleet> {
    const scene = await openFleetScene(open())
    const { first, second, third } = threeOf(scene)
    await first.addService({}, FIRST)
    await first.addExport()
    // Which of two is older is known to the second.
    await pause(1_100)
    await second.addService({}, SECOND)
    await second.addExport()
    return { scene, first, second, third }
  }

  /** Publishes the endpoints of the first cluster, so many of them ready. */
  const haveReady = ({ first }: Fleet, ready: number): Promise<void> =>
    first.publish(FIRST.map((address, at) => ({ addresses: [address], conditions: { ready: at < ready } })))

  describe('an import whose policy prefers own endpoints', () => {
    it('fails over when too few of them are ready, and comes back when enough are, in their cluster alone', async () => {
      const fleet = await openFleet()
      const { scene, first, second, third } = fleet
      const { log, deadLetters } = await scene.start()
      await untilImported(scene.members, [...OF_FIRST, ...OF_SECOND])
      await first.annotateExport({ [POLICY]: '{"prefer":"own"}' })
      await untilImported([first], OF_FIRST)
      await untilImported([second], OF_SECOND)
      await untilImported([third], [...OF_FIRST, ...OF_SECOND])
      for (const member of scene.members)
        await until(async () => (await member.imported())?.metadata?.annotations?.[POLICY]).toBe(
          '{"prefer":"own","failoverBelow":50,"returnAt":75}',
        )

      await haveReady(fleet, 1)
      await untilImported([first, third], ['first/10.1.0.1', ...OF_SECOND])
      // Between the two thresholds it stays as it is.
      await haveReady(fleet, 2)
      await untilImported([first, third], ['first/10.1.0.1', 'first/10.1.0.2', ...OF_SECOND])
      await haveReady(fleet, 3)
      await untilImported([first], OF_FIRST)
      await haveReady(fleet, 2)
      await untilImported([first], ['first/10.1.0.1', 'first/10.1.0.2'])
      await haveReady(fleet, 0)
      await untilImported(scene.members, OF_SECOND)
      await haveReady(fleet, 3)
      await untilImported([first], OF_FIRST)
      await untilImported([second], OF_SECOND)

      await first.annotateExport({ [POLICY]: null })
      await untilImported(scene.members, [...OF_FIRST, ...OF_SECOND])
      expect(log.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
      expect(deadLetters).toEqual([])
    })

    it('knows after a restart that it has failed over', async () => {
      const fleet = await openFleet()
      const { scene, first, third } = fleet
      await first.annotateExport({ [POLICY]: '{"prefer":"own"}' })
      await haveReady(fleet, 1)
      const before = await scene.start()
      await untilImported([first, third], ['first/10.1.0.1', ...OF_SECOND])
      await before.stop()
      await haveReady(fleet, 2)
      await scene.start()
      await untilImported([first, third], ['first/10.1.0.1', 'first/10.1.0.2', ...OF_SECOND])
      await pause(QUIET_MS)
      await untilImported([first, third], ['first/10.1.0.1', 'first/10.1.0.2', ...OF_SECOND])
    })
  })

  describe('an import whose policy has weights', () => {
    it('has a share of one cluster and nothing of another, until no other has a ready endpoint', async () => {
      const fleet = await openFleet()
      const { scene, first, second } = fleet
      await first.annotateExport({ [POLICY]: '{"weights":{"first":34,"second":0}}' })
      await scene.start()
      const counts = async (): Promise<number[]> =>
        Promise.all(scene.members.map(async (member) => (await member.addresses()).length))
      await until(counts).toEqual([2, 2, 2])
      for (const member of scene.members)
        for (const address of await member.addresses()) expect(OF_FIRST).toContain(address)
      await second.publish([...SECOND, '10.2.0.3'])
      await haveReady(fleet, 0)
      await untilImported(scene.members, [...OF_SECOND, 'second/10.2.0.3'])
    })
  })

  describe('a policy that cannot be used', () => {
    it('takes nothing away, is reported on the export and in the log, is not written again and again, and counts once it is mended', async () => {
      const { scene, first, second } = await openFleet()
      await first.annotateExport({ [POLICY]: '{"prefer":"own","failOverBelow":30}' })
      const { log, sync } = await scene.start()
      await untilImported(scene.members, [...OF_FIRST, ...OF_SECOND])
      const valid = async () => (await first.conditionsInFull()).find(({ type }) => type === 'Valid')
      await until(valid).toMatchObject({
        status: 'True',
        message: expect.stringContaining('(did you mean failoverBelow?)'),
      })
      await until(() => first.conditions()).toMatchObject({ Ready: 'True Exported' })
      const lines = () => log.filter(({ msg }) => msg === 'parts of a ServiceExport are left out')
      await until(() => lines().length).toBeGreaterThan(0)
      const [before, count] = [await first.conditionsInFull(), lines().length]
      for (let syncs = 0; syncs < 3; syncs++) await sync()
      await pause(QUIET_MS)
      expect(await first.conditionsInFull()).toEqual(before)
      expect(lines()).toHaveLength(count)
      await untilImported(scene.members, [...OF_FIRST, ...OF_SECOND])

      await first.annotateExport({ [POLICY]: '{"prefer":"own","failoverBelow":30}' })
      await untilImported([first], OF_FIRST)
      await untilImported([second], OF_SECOND)
      await until(async () => (await valid())?.message).toBe('It is exported as ClusterSetIP.')
    })
  })
}
