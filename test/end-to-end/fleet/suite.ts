import { afterAll, beforeAll, describe } from 'vitest'
import type { StartCluster } from '../cluster.ts'
import { describeConformance } from './conformance.ts'
import { type FleetClusters, startFleetClusters } from './fleet-clusters.ts'
import { describeOutages } from './outages.ts'
import { describeRestarts } from './restarts.ts'
import { describeClusterSelection } from './selection.ts'
import { describeExportedSelectors } from './selectors.ts'
import { describeShadow } from './shadow.ts'

/** Describes Services over several API servers of one kind. */
export function describeFleetServices(
  name: string,
  startCluster: StartCluster,
  clusterNames: readonly string[] = ['first', 'second', 'third'],
): void {
  describe(`Fleet Services on ${name}`, () => {
    let fleet: FleetClusters | undefined

    beforeAll(async () => {
      fleet = await startFleetClusters(clusterNames, startCluster)
    })
    afterAll(() => fleet?.stop())

    describeConformance(() => fleet?.clusters ?? [])
    describeOutages(() => fleet?.clusters ?? [])
    describeClusterSelection(() => fleet?.clusters ?? [])
    describeExportedSelectors(() => fleet?.clusters ?? [])
    describeRestarts(() => fleet?.clusters ?? [])
    describeShadow(() => fleet?.clusters ?? [])
  })
}
