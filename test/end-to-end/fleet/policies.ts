import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { until } from '../scene.ts'
import type { FleetCluster } from './fleet-clusters.ts'
import { type FleetScene, openFleetScene, type SceneMember, threeOf, untilImported } from './fleet-scene.ts'

const POLICY = 'sliceflow.dev/fleet-policy'

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
      const { log, letters } = await scene.start()
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
      expect(letters).toEqual([])
    })
  })
}
