import { describe } from 'vitest'
import type { StartCluster } from './cluster.ts'
import { describeConsole } from './console.ts'
import { describeDeliveries } from './deliveries.ts'
import { describeFailures } from './failures.ts'
import { describeGuards } from './guards.ts'
import { describeServiceChanges } from './service-changes.ts'
import { describeStandbyRegion } from './standby-region.ts'
import { describeUnreachableClusters } from './unreachable-clusters.ts'
import { useCluster } from './use-cluster.ts'

/**
 * Describes the whole path from an API server's watch through the queue and the function back to it, on any
 * API server.
 */
export function describeEndToEnd(name: string, startCluster: StartCluster): void {
  describe(`Sliceflow on ${name}`, () => {
    const open = useCluster(startCluster)
    describeServiceChanges(open)
    describeGuards(open)
    describeUnreachableClusters(open)
    describeFailures(open)
    describeDeliveries(open)
    describeStandbyRegion(open)
    describeConsole(open)
  })
}
