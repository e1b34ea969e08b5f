import { createWorkload, IN_TREE_CONTROLLER } from '../../../support/workload.ts'
import type { ChangeKind } from '../../../support/workload-changes.ts'
import type { Owner } from '../arena.ts'
import type { Work } from './index.ts'

interface ChurnSizes {
  readonly services: number
  /** Pods of each Service. */
  readonly pods: number
  /** Changes a second. */
  readonly rate: number
  readonly seconds: number
  /** Seconds of the same changes before those that are measured. Default: 0. */
  readonly warmUpSeconds?: number
  /** Only Pods change, and no Service does. Default: both do. */
  readonly ofPodsOnly?: true
  /** What selects the Pods. Default: Service. */
  readonly owner?: Owner
  /** Whether all of it is there before the contender starts. Default: false. */
  readonly isPreparedFirst?: boolean
}

/**
 * The in-tree controller notices what happens to nodes, and failures of pods that were not ready, only when
 * something else touches the Service. Slices of Services that stay deleted it leaves to the garbage
 * collector, which does not run here.
 */
const LEFT_OUT: readonly ChangeKind[] = ['node-zone', 'node-toggle', 'pod-failure', 'service-toggle']

const OF_SERVICES: readonly ChangeKind[] = [
  'service-ports',
  'service-selector',
  'service-labels',
  'service-recreate',
]

/**
 * Changes Services in many ways: readiness, pods that come, go and move, ports, selectors, Services made
 * again.
 */
export const churn = ({
  services,
  pods,
  rate,
  seconds,
  warmUpSeconds = 0,
  ofPodsOnly,
  owner = 'Service',
  isPreparedFirst = false,
}: ChurnSizes): Work => ({
  title: `churn of ${services} ${owner}s × ${pods} pods at ${rate}/s for ${seconds} s`,
  owner,
  isPreparedFirst,
  async prepare({ client, report }) {
    const workload = createWorkload({
      client,
      services,
      podsPerService: pods,
      settings: { mode: 'replace', managedBy: IN_TREE_CONTROLLER },
      without: ofPodsOnly ? [...LEFT_OUT, ...OF_SERVICES] : LEFT_OUT,
      report,
    })
    await workload.createAll()
    await workload.change({ rate, seconds: warmUpSeconds })
    return async () => void (await workload.change({ rate, seconds }))
  },
})
