import { afterAll, beforeAll, describe, it } from 'vitest'
import type { StartCluster } from '../../end-to-end/cluster.ts'
import { type FleetClusters, startFleetClusters } from '../../end-to-end/fleet/fleet-clusters.ts'
import { openFleetScene } from '../../end-to-end/fleet/fleet-scene.ts'
import { FLEET_ROWS } from './rows.ts'

/** Plays what users of others met to Sliceflow, on three API servers of one kind; the third has IPv4 only. */
export function describeFleetSurvival(name: string, startCluster: StartCluster): void {
  describe(`what users of others met, on ${name}`, () => {
    let fleet: FleetClusters | undefined

    beforeAll(async () => {
      fleet = await startFleetClusters(['first', 'second', 'third'], (each) =>
        startCluster(each, each === 'third' ? ['10.99.0.0/16'] : undefined),
      )
    })
    afterAll(() => fleet?.stop())

    it.each(FLEET_ROWS.map((row) => [row.id, row.says, row.source, row] as const))(
      '%s: %s (%s)',
      async (_id, _says, _source, row) => {
        const scene = await openFleetScene(fleet?.clusters ?? [])
        const [first, second, third] = ['first', 'second', 'third'].map((each) => scene.member(each))
        if (first === undefined || second === undefined || third === undefined) throw new Error('no clusters')
        await row.play({ scene, first, second, third })
      },
    )
  })
}
