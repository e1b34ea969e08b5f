import { type ClusterSize, createSimulatedCluster, withState } from './cluster.ts'
import type { Workload } from './workload.ts'

/** Creates the workload of a single Pod that becomes unready. */
export function singleUpdate(size: ClusterSize): Workload {
  const { services, nodes, pods } = createSimulatedCluster(size)
  const [pod] = pods
  const events = pod === undefined ? [] : [{ atMs: 0, pod: withState(pod, { isReady: false }, 2) }]
  return { services, nodes, pods, events: () => [events], count: events.length }
}
