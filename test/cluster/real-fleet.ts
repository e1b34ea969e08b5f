import { afterAll, beforeAll } from 'vitest'
import { FLEET_ROLE_FILES } from '../end-to-end/cluster-role.ts'
import {
  type FleetCluster,
  type FleetClusters,
  startFleetClusters,
} from '../end-to-end/fleet/fleet-clusters.ts'
import { type RealCluster, startRealCluster } from './end-to-end-cluster.ts'

interface RealFleet {
  readonly clusters: readonly FleetCluster[]
  /** Returns the cluster of this name, with its API server. */
  serverOf(name: string): RealCluster
}

/** Gives the tests of a block a cluster set on real API servers, each with the roles of cluster sets. */
export function useRealFleet(names: readonly string[]): RealFleet {
  const servers = new Map<string, RealCluster>()
  let fleet: FleetClusters | undefined
  beforeAll(async () => {
    fleet = await startFleetClusters(names, async (name) => {
      const cluster = await startRealCluster(name, FLEET_ROLE_FILES)
      servers.set(name, cluster)
      return cluster
    })
  })
  afterAll(() => fleet?.stop())
  return {
    get clusters() {
      return fleet?.clusters ?? []
    },
    serverOf(name) {
      const found = servers.get(name)
      if (found === undefined) throw new Error(`there is no cluster ${name}`)
      return found
    },
  }
}
